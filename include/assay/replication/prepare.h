// Turns files of annotations into the readings of one or two sets. It drops or reports annotators
// who guess, removes repeated answers, and compares the pools of annotators. If requested, it gives
// images equal numbers of annotators.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/replication/selections.h"
#include "assay/result_type.h"

namespace assay::replication {

struct PrepareOptions {
    bool clean =
        false;  ///< drop annotators who guess; requires raw annotations with batch and control
    CleaningRules rules;
    int equalise = -1;  ///< annotators to keep per image; 0 keeps as many as the image with the
                        ///< fewest has; -1 keeps all
    /// The annotations by which the second set's images were selected. The readings must not
    /// include them, because they would show all images as easy to select.
    std::vector<std::filesystem::path> selected_by;
    std::vector<std::string> without_annotators;  ///< annotators to exclude
    /// continue even if no annotator judged both sets
    bool other_annotators = false;
    std::uint64_t seed = 1;  ///< seed of all random parts of the step
};

/// An annotator compared with others who judged the same images. Values are proportions, with
/// intervals over answers.
struct AnnotatorRating {
    std::uint32_t annotator = 0;  ///< index into StudyNames::annotators
    std::uint64_t annotations = 0;
    double selected = 0;  ///< proportion of the annotations that select the image
    Estimate leniency;    ///< own answers minus the mean of the others' to the same image
    Estimate noise;       ///< rate at which a random other annotator disagrees
};

/// The readings of one or two sets, and how they were made.
struct PreparedSets {
    StudyNames names;
    std::vector<Readings> sets;
    std::vector<Duplicates> duplicates;  ///< raw annotations only
    std::optional<CleaningReport> cleaning;
    std::vector<AnnotatorRating> ratings;     ///< of raw annotations
    std::optional<AnnotatorOverlap> overlap;  ///< two sets of raw annotations only
    std::vector<std::string> warnings;
};

/// Checks the first lines of the files. Throws bad_input for a missing file, or frequencies that
/// were to be cleaned. Throws usage for no file or more than two.
void check_files(const std::vector<std::filesystem::path>& files, const PrepareOptions& options);

/// Reads files of raw annotations or of frequencies, one per set. Throws as check_files();
/// bad_input: no common annotator (unless other_annotators), the same set twice, readings of the
/// second set among those of `selected_by`, nothing left. Cost: linear in the annotations; memory:
/// 16 bytes per annotation.
PreparedSets prepare_sets(const std::vector<std::filesystem::path>& files,
                          const PrepareOptions& options);

/// The part `annotations` in the results of every step, docs/formats.md.
ResultType result_type(ResultOf<PreparedSets>);

}  // namespace assay::replication
