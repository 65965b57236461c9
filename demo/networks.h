// The classifiers of the walkthrough: each is made so that one known property of it must be visible
// in the numbers.
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
    std::string copy_made;  ///< of spec.calibrated_copy
};

/// `size` is small or full; full networks are wider (and there are five times as many images).
std::vector<DemoNetwork> demo_networks(std::string_view size, std::uint64_t seed);

}  // namespace assay::cli
