// Reads and writes times of studies: UTC, as texts whose alphabetical order is the order in time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::study {

/// The time of a decision, such as "2026-11-23T01:02:03Z".
std::string utc_now();
/// The time of an answer, such as "2026-11-23T01:02:03.456789Z".
std::string utc_moment_now();

/// True if the text is a valid date and time in exactly the form of utc_now().
bool is_utc_second(std::string_view text);
/// Likewise utc_moment_now().
bool is_utc_moment(std::string_view text);

/// Converts ISO 8601, with or without time, fraction and offset, to the form of utc_moment_now().
/// Returns nothing if the text is not a time.
std::optional<std::string> utc_moment_of(std::string_view text);

}  // namespace assay::study
