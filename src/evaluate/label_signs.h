// Signs in stored scores that the labels do not belong to the model's classes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/evaluate/score.h"
#include "assay/store/prediction_store.h"

namespace assay::evaluate {

/// The start of warnings about a low accuracy.
inline constexpr std::string_view low_accuracy_sign = "the accuracy";

/// Returns warnings for people; each ends in a command. They use the images with one label, at most
/// 2,048, evenly spaced over the store. They are only checked if the report's accuracy is low, and
/// not for predictions under attack, which should be incorrect, for smoothed models, or under a
/// class map. Each test is exact, at level 0.001.
std::vector<std::string> label_signs(const ScoreReport& report, const PredictionStore& store);

}  // namespace assay::evaluate
