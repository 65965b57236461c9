// The kinds of values that are numbers, which parsing must know.
#pragma once

#include <array>
#include <string_view>

namespace assay::cli {

/// The names from type_name(). Each also has a row in values.cpp.
inline constexpr std::array<std::string_view, 13> number_kinds = {
    "A", "BITS", "DPI", "K", "MIB", "MM", "N", "NUMBER", "P", "PIXELS", "POINTS", "QUALITY", "TAU"};

}  // namespace assay::cli
