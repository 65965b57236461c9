// A ranking beside other numbers of the same classifiers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/mad/rank.h"

namespace assay::mad {

/// One a classifier, larger is better; nothing: not known.
using OtherScores = std::vector<std::optional<double>>;

/// Of a csv with the columns model (or name, classifier) and score (or accuracy), or rank (or
/// place), where 1 is the best. `unknown`: models of the file that are not among `names`. Throws
/// bad_input: another form, a number that is none, a model twice, fewer than three known ones,
/// ranks and scores that order two models differently.
OtherScores read_other_scores(const std::filesystem::path& file,
                              const std::vector<std::string>& names,
                              std::vector<std::string>& unknown);

/// Spearman's and Kendall's (tau-b) correlation of places with scores, among those that have both.
/// `replicates`: places of the bootstrap; empty: no intervals.
Comparison compare_places(std::string with, const std::vector<double>& places,
                          const OtherScores& scores,
                          const std::vector<std::vector<double>>& replicates, double level);

}  // namespace assay::mad
