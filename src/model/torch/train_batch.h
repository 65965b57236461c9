// Batches of a training: which images in which order, and what is done to them. Plain C++, no
// LibTorch: every draw depends on (seed, purpose, epoch, image), so a batch is the same wherever
// and whenever it is made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/plugin.h"

namespace assay::torch_plugin {

/// Images that are trained on and held out, by number. Drawn for each by its number in the list, so
/// that images added at the end move no other.
struct Split {
    std::vector<std::uint32_t> trained;
    std::vector<std::uint32_t> held_out;
};
Split split_images(std::size_t images, const TrainSpec& spec);

/// The order of one epoch (Fisher and Yates).
void shuffle(std::span<std::uint32_t> items, std::uint64_t seed, std::uint64_t epoch);

/// One image as 3 x side x side floats in [0, 1], changed as spec.augment says (`epoch` < 0:
/// unchanged).
void image_into(const TrainingImages& images, const TrainSpec& spec, std::uint32_t item,
                std::int64_t epoch, std::span<float> out);

/// Whether this image goes through a random convolution in this epoch, and that convolution: 3 x 3
/// x k x k weights, k one of 1, 3, 5, 7 (embedded in 7 x 7), standard deviation 1 / sqrt(3 k^2),
/// and how much of the image stays (up to 0.3).
struct RandomTexture {
    float keep = 1;  ///< 1: the image as it is
    std::vector<float> kernel;
};
RandomTexture random_texture(const TrainSpec& spec, std::uint32_t item, std::int64_t epoch);
inline constexpr int kTextureKernel = 7;

}  // namespace assay::torch_plugin
