// The answers of people about the labels of images.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assay/audit/audit.h"
#include "assay/data/dataset.h"

namespace assay::audit {

/// The answers about one image.
struct CheckedLabel {
    bool cannot_be_judged = false;
    bool by_file = false;  ///< a file of labels says so, and not votes
    /// Valid classes, ascending. Empty if the given label is wrong and no other is confirmed.
    std::vector<std::int32_t> classes;
};
struct CheckedLabels {
    std::map<std::uint64_t, CheckedLabel> of;  ///< by row of the data set
    std::uint64_t ignored = 0;                 ///< number of answers about other images and labels
    std::uint64_t half_answered = 0;  ///< images with answers, but not about the given label
    std::string first_half_answered;  ///< id of the first such image
    std::vector<std::string> notes;
};

/// Answers about images with one label. Votes are settled by majority. A tie on the given label
/// leaves it unjudged; a tie on another class is a no. An image counts as checked once its given
/// label has an answer: a yes, a no, a "cannot tell", or the choice of a class. A file of labels
/// overrules votes; an empty set in it rejects the label. Throws as read_votes() and
/// read_label_sets(), and bad_input for a number that is no class of the scores.
CheckedLabels read_checked(const AuditOptions& options, const Dataset& dataset,
                           std::uint32_t classes);

}  // namespace assay::audit
