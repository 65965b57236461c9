// The classifiers of the demo. Each has one known property, which must be visible in the numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/model/train.h"

namespace assay::cli {

struct DemoNetwork {
    TrainSpec spec;
    std::string made;       ///< a short description of its training
    std::string copy_made;  ///< report of spec.calibrated_copy
};

/// `size` is small or full; full networks are wider (and there are five times as many images).
std::vector<DemoNetwork> demo_networks(std::string_view size, std::uint64_t seed);

}  // namespace assay::cli
