// Data sets that contain five severities of the same images: the files of CIFAR-10-C and
// CIFAR-100-C.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/robustness/corruption.h"
#include "store/outcomes.h"

namespace assay::robustness {

/// Returns `fog` for a data set with the name "fog", "cifar_fog" or "fog-sample50", and nullptr for
/// other names.
const Corruption* corruption_called(std::string_view dataset);
/// True if the attribute `severity` is 1 to 5 for each image, in the order of the published files.
/// These files have 10,000 images per severity, and the data set may be a part of them.
bool is_severity_stack(const Dataset& dataset);

/// The images of one severity.
struct OneSeverity {
    Dataset images;  ///< with ids at severity 1: the numbers of clean images
    std::vector<RowOutcome> outcomes;
};
/// `outcomes` covers every image of the stack.
OneSeverity one_severity(const Dataset& stack, const std::vector<RowOutcome>& outcomes,
                         int severity);

}  // namespace assay::robustness
