// The kinds of values that are numbers: what parsing must know of an option.
#pragma once

#include <array>
#include <string_view>

namespace assay::cli {

/// As type_name() says them. Each has a row in values.cpp, too.
inline constexpr std::array<std::string_view, 13> number_kinds = {
    "A", "BITS", "DPI", "K", "MIB", "MM", "N", "NUMBER", "P", "PIXELS", "POINTS", "QUALITY", "TAU"};

}  // namespace assay::cli
