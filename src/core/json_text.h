// JSON of reports and records.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/text.h"

namespace assay {

/// On one line. A report may quote names of files and classes that are not UTF-8, as JSON must be:
/// their bytes become U+FFFD, because a report that is there says more than an error. Ids that must
/// be read back are for their writer to check.
inline std::string json_line(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A value that was met, for a message.
inline std::string shown_json(const nlohmann::json& value) {
    return shortened(json_line(value), 80);
}

/// Indented, with a line end.
inline std::string json_text(const nlohmann::json& value) {
    return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace assay
