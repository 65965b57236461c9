// Parses real numbers in options, settings and tables, independent of the locale.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace assay {

/// The whole text as a finite number: "0.5", "-1e-3". Nothing for blanks, a '+', "nan", "inf", a
/// number beyond the range of a double, and other text.
inline std::optional<double> finite_number(std::string_view text) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (text.empty() || problem != std::errc() || stop != end || !std::isfinite(value))
        return std::nullopt;
    return value;
}

}  // namespace assay
