// Tasks as Label Studio imports them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "assay/mad/questions.h"

namespace assay::mad {

/// {"data": {image, question, question_id, image_id, label, label_name}}: nothing of classifiers or
/// gold.
nlohmann::json label_studio_task(const OpenQuestion& question, std::string_view prefix);
/// The result of our configuration's control, as the tool writes it.
nlohmann::json label_studio_result(Answer answer);

}  // namespace assay::mad
