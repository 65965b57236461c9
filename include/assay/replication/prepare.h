// From files of annotations to the readings of one or two sets: annotators who guess are dropped or
// hinted at, repeated answers are removed, the pools of annotators are compared, and images get
// equal numbers of annotators where that is wanted.
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
        false;  ///< drop annotators who guess; needs raw annotations with batch and control
    CleaningRules rules;
    int equalise = -1;  ///< annotators to keep of each image; 0: as many as the image with the
                        ///< fewest has; -1: all
    /// Annotations by which the second set's images were selected: readings among them would say
    /// that all were easy to select, which is why they are there.
    std::vector<std::filesystem::path> selected_by;
    std::vector<std::string> without_annotators;  ///< whose annotations are left out
    bool other_annotators = false;                ///< go on although no annotator judged both sets
    std::uint64_t seed = 1;  ///< of everything random in the step, not of this part alone
};

/// An annotator beside the others who judged the same images. Proportions; intervals over answers.
struct AnnotatorRating {
    std::uint32_t annotator = 0;  ///< into StudyNames::annotators
    std::uint64_t annotations = 0;
    double selected = 0;  ///< proportion of the annotations
    Estimate leniency;    ///< own answers less the mean of the others' to the same image
    Estimate noise;       ///< how often a random other one answers otherwise
};

/// The readings of one or two sets, and what was done to get them.
struct PreparedSets {
    StudyNames names;
    std::vector<Readings> sets;
    std::vector<Duplicates> duplicates;  ///< raw annotations only
    std::optional<CleaningReport> cleaning;
    std::vector<AnnotatorRating> ratings;     ///< of raw annotations
    std::optional<AnnotatorOverlap> overlap;  ///< two sets of raw annotations only
    std::vector<std::string> warnings;
};

/// Throws what the first lines of the files tell: bad_input for one that is not there, and for
/// cleaning asked of frequencies; usage: no file or more than two.
void check_files(const std::vector<std::filesystem::path>& files, const PrepareOptions& options);

/// Files of raw annotations or of frequencies, one a set. Throws as check_files(); bad_input: no
/// annotator in common (unless other_annotators), one set given twice, readings of the second set
/// among those of `selected_by`, nothing left. Cost: linear in the annotations;
/// memory: 16 bytes per annotation.
PreparedSets prepare_sets(const std::vector<std::filesystem::path>& files,
                          const PrepareOptions& options);

/// The part `annotations` of the results of every step, docs/formats.md.
ResultType result_type(ResultOf<PreparedSets>);

}  // namespace assay::replication
