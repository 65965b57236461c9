// Usual means and standard deviations of published classifiers, for R, G and B in 0..1 (Caffe's: B,
// G and R in 0..255).
#pragma once

#include <array>

namespace assay {

using ThreeNumbers = std::array<double, 3>;

inline constexpr ThreeNumbers imagenet_mean = {0.485, 0.456, 0.406};
inline constexpr ThreeNumbers imagenet_std = {0.229, 0.224, 0.225};
inline constexpr ThreeNumbers clip_mean = {0.48145466, 0.4578275, 0.40821073};
inline constexpr ThreeNumbers clip_std = {0.26862954, 0.26130258, 0.27577711};
inline constexpr ThreeNumbers caffe_mean = {103.939, 116.779, 123.68};
inline constexpr ThreeNumbers all_half = {0.5, 0.5, 0.5};
inline constexpr ThreeNumbers all_zero = {0, 0, 0};
inline constexpr ThreeNumbers all_one = {1, 1, 1};

}  // namespace assay
