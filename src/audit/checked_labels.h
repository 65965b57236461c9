// What people said about the labels of images.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/audit/audit.h"
#include "assay/data/dataset.h"

namespace assay::audit {

/// What was said about one image.
struct CheckedLabel {
    bool cannot_be_judged = false;
    /// Valid classes, ascending; empty: the given label is wrong, and no other class was confirmed.
    std::vector<std::int32_t> classes;
};
struct CheckedLabels {
    std::map<std::uint64_t, CheckedLabel> of;  ///< by row of the data set
    std::uint64_t ignored = 0;                 ///< answers about other images and labels
    std::vector<std::string> notes;
};

/// Votes are settled by majority; a tie is a no. An image counts as checked once its given label
/// has an answer, or another class has a majority. A file of labels overrules votes. Throws as
/// read_votes() and read_label_sets().
CheckedLabels read_checked(const AuditOptions& options, const Dataset& dataset);

}  // namespace assay::audit
