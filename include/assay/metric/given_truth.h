// Data that a user gives in addition to labels, and that some metrics need.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/data/class_tree.h"
#include "assay/data/soft_labels.h"

namespace assay {

struct GivenTruth {
    std::shared_ptr<const SoftLabels> soft = nullptr;  ///< by rows of the store; may be nullptr
    /// tree over the predicted classes; may be nullptr
    std::shared_ptr<const ClassTree> tree = nullptr;
    /// The grade of each predicted class, 0 for the lowest; empty if the classes have no order.
    std::vector<std::int32_t> grades = {};
    /// Thresholds in (0, 1), one per class, for sigmoids; if empty, a metric's parameter is the
    /// threshold for all classes.
    std::vector<double> thresholds = {};

    /// Returns Needs::soft_labels, hierarchy and class_order for the data that is given.
    unsigned needs() const;
};

}  // namespace assay
