// Compares a ranking with other numbers for the same classifiers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/mad/rank.h"

namespace assay::mad {

/// One number per classifier, larger is better; nothing if not known.
using OtherScores = std::vector<std::optional<double>>;

/// Reads a csv with the columns model (or name, classifier) and score (or accuracy), or rank (or
/// place), where 1 is the best. `unknown` gets models of the file that are not in `names`. Throws
/// bad_input: another form, an invalid number, a repeated model, fewer than three known models,
/// ranks and scores that order two models differently.
OtherScores read_other_scores(const std::filesystem::path& file,
                              const std::vector<std::string>& names,
                              std::vector<std::string>& unknown);

/// Spearman's and Kendall's (tau-b) correlation of places with scores, among classifiers with both.
/// `replicates` are places from the bootstrap; if empty, there are no intervals.
Comparison compare_places(std::string with, const std::vector<double>& places,
                          const OtherScores& scores,
                          const std::vector<std::vector<double>>& replicates, double level);

/// The ranks of the classifiers with a score, in both orders; the best of this ranking first.
std::vector<ComparedRank> compared_ranks(const std::vector<RankedClassifier>& classifiers,
                                         const OtherScores& scores);

}  // namespace assay::mad
