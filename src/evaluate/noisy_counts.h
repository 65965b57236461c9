// The classes that a model predicts for noisy copies of an image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "assay/data/dataset.h"
#include "assay/evaluate/predict.h"
#include "assay/robustness/attack.h"

namespace assay::attack {

/// The noisy copies of each image.
struct Copies {
    double sigma = 0;
    std::uint32_t count = 0;
    std::uint32_t together = 1;  ///< copies that go through the model in one call
    std::uint64_t seed = 0;
    std::string purpose;  ///< of the random stream; another purpose draws other noise
};

/// Computes, for each image of a batch, the proportion of its copies by predicted class. The first
/// of equal scores counts. Copies whose scores are not finite count for no class. Any thread may
/// call it.
class NoisyCounts {
public:
    NoisyCounts(std::shared_ptr<AttackedModel> model, const Dataset& dataset, Copies copies);
    /// For predict(): `out` has a row of proportions for each image; zeros if it could not be read.
    void operator()(const ImageBatch& batch, std::span<float> out) const;

private:
    void count(std::span<const float> image, std::uint64_t item, std::span<float> out) const;

    std::shared_ptr<AttackedModel> model_;
    const Dataset& dataset_;
    Copies copies_;
};

}  // namespace assay::attack
