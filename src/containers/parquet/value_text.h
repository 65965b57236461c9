// Values of columns as texts for csv tables.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "containers/parquet/format.h"

namespace assay::parquet {

/// The reason why a column's values cannot be written as text: "a timestamp", "bytes", ... Returns
/// "" for texts, numbers, decimals and booleans.
std::string why_no_text(const Column& column);

/// Appends a value of such a column: numbers with all their digits ("3", "0.25", "12.00"), nothing
/// for a NaN, "True" and "False". Throws bad_input if a decimal is too long.
void append_text(std::string& out, const Column& column, std::span<const std::byte> value);

}  // namespace assay::parquet
