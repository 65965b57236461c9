// Training batches: the order of the images and their augmentation. Plain C++ without LibTorch.
// Every draw depends on (seed, purpose, epoch, image), so a batch does not depend on the machine
// and the order of batches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/plugin.h"

namespace assay::torch_plugin {

/// The indices of training and held-out images. Each image is drawn by its index, so that images
/// added at the end do not affect others.
struct Split {
    std::vector<std::uint32_t> trained;
    std::vector<std::uint32_t> held_out;
};
Split split_images(std::size_t images, const TrainSpec& spec);

/// The order of images in one epoch (Fisher and Yates).
void shuffle(std::span<std::uint32_t> items, std::uint64_t seed, std::uint64_t epoch);

/// One image as 3 x side x side floats in [0, 1], augmented as spec.augment says (`epoch` < 0:
/// unchanged).
void image_into(const TrainingImages& images, const TrainSpec& spec, std::uint32_t item,
                std::int64_t epoch, std::span<float> out);

/// True if this image passes through a random convolution in this epoch. If so, `kernel` has the
/// weights, and `keep` the proportion of the image that is kept (up to 0.3). The weights are 3 x 3
/// x k x k, with k one of 1, 3, 5, 7 (embedded in 7 x 7). Their standard deviation is 1 / sqrt(3
/// k^2).
struct RandomTexture {
    float keep = 1;  ///< 1 keeps the image unchanged
    std::vector<float> kernel;
};
RandomTexture random_texture(const TrainSpec& spec, std::uint32_t item, std::int64_t epoch);
inline constexpr int kTextureKernel = 7;

}  // namespace assay::torch_plugin
