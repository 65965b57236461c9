// Times as studies keep them: in UTC, in a form whose order as text is their order in time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay::study {

/// "2026-11-23T01:02:03Z": of decisions.
std::string utc_now();
/// "2026-11-23T01:02:03.456789Z": of answers.
std::string utc_moment_now();

/// Whether the text is a time exactly as utc_now() writes it, and on the calendar.
bool is_utc_second(std::string_view text);
/// Likewise utc_moment_now().
bool is_utc_moment(std::string_view text);

/// As utc_moment_now() writes it, from ISO 8601 with or without time, fraction and offset. Nothing
/// where it is none.
std::optional<std::string> utc_moment_of(std::string_view text);

}  // namespace assay::study
