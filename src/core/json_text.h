// Writes JSON for reports and records.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/text.h"

namespace assay {

/// Writes one line. Names of files and classes in a report may not be UTF-8, as JSON requires. Such
/// bytes become U+FFFD, because a report with replaced bytes is better than an error. Writers must
/// check ids that will be read back.
inline std::string json_line(const nlohmann::json& value) {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A value as shown in messages.
inline std::string shown_json(const nlohmann::json& value) {
    return shortened(json_line(value), 80);
}

/// Writes indented JSON with a newline at the end.
inline std::string json_text(const nlohmann::json& value) {
    return value.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace assay
