// Tasks in Label Studio's import format.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "assay/mad/questions.h"

namespace assay::mad {

/// {"data": {image, question, question_id, image_id, label, label_name}}. It reveals nothing about
/// classifiers or gold.
nlohmann::json label_studio_task(const OpenQuestion& question, std::string_view prefix);
/// The result of our configuration's control, in Label Studio's format.
nlohmann::json label_studio_result(Answer answer);

}  // namespace assay::mad
