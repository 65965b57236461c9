// What the metrics of a report mean.
#pragma once

#include <nlohmann/json.hpp>

namespace assay {

/// Definition of web/src/report/document.ts for each `definition` of a metric that stands anywhere
/// in the results, by its id. The results may be of any types.
nlohmann::json definitions_in(const nlohmann::json& results);

}  // namespace assay
