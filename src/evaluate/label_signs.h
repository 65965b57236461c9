// Signs in stored scores that the labels are not those of the model's classes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/evaluate/score.h"
#include "assay/store/prediction_store.h"

namespace assay::evaluate {

/// How those begin that say that an accuracy is low.
inline constexpr std::string_view low_accuracy_sign = "the accuracy";

/// Warnings, for people; each ends in a command. They are of the images with one label, at most
/// 2,048, evenly spaced over the store. Looked for only where the report's accuracy is low. Of
/// predictions under attack, which are to be incorrect, and under a class map there are none. Each
/// test is exact, at level 0.001.
std::vector<std::string> label_signs(const ScoreReport& report, const PredictionStore& store);

}  // namespace assay::evaluate
