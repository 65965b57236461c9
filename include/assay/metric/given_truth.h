// What a user gives beside labels, which some metrics need.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/data/class_tree.h"
#include "assay/data/soft_labels.h"

namespace assay {

struct GivenTruth {
    std::shared_ptr<const SoftLabels> soft = nullptr;  ///< by the store's rows; nullptr: none
    std::shared_ptr<const ClassTree> tree = nullptr;  ///< over the predicted classes; nullptr: none
    /// The grade of each predicted class, 0 for the lowest; empty: the classes have no order.
    std::vector<std::int32_t> grades = {};
    /// In (0, 1), one a class, for sigmoids; empty: a metric's parameter is the threshold of all.
    std::vector<double> thresholds = {};

    /// Needs::soft_labels, hierarchy and class_order, as far as these are given.
    unsigned needs() const;
};

}  // namespace assay
