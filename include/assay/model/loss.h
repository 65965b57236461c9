// Functions of a classifier's scores that an attack maximizes, and their derivatives.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

/// Here z are the scores of one image, y is its label, t a target, z_(k) the k-th largest score.
/// Each loss grows as the image comes closer to misclassification. margin and difference are
/// positive exactly if it is misclassified.
enum class Loss {
    cross_entropy,  ///< -log softmax(z)_y
    margin,         ///< max_{i != y} z_i - z_y
    difference,     ///< z_t - z_y
    /// -(z_y - max_{i != y} z_i) / (z_(1) - z_(3) + 1e-12), the difference of logits ratio. Source:
    /// Croce and Hein, "Reliable evaluation of adversarial robustness with an ensemble of diverse
    /// parameter-free attacks", ICML 2020, eq. 6. At least 3 classes.
    dlr,
    /// -(z_y - z_t) / (z_(1) - (z_(3) + z_(4)) / 2 + 1e-12), eq. 7 there. At least 4 classes.
    targeted_dlr,
};

std::string_view name_of(Loss);
/// The smallest number of classes for which the loss is defined: 2, 3 or 4.
std::uint32_t least_classes(Loss);
/// True if the loss uses the target: difference and targeted_dlr do.
bool has_target(Loss);

/// Returns the loss of one image. `derivative`, as long as `scores`, gets its derivative by each
/// score. Computed in double precision from the scores; of equal scores the first counts as the
/// larger. Cost: O(C). label and target are below scores.size().
double loss_of(Loss loss, std::span<const float> scores, std::uint32_t label, std::uint32_t target,
               std::span<float> derivative);

}  // namespace assay
