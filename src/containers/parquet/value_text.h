// Values of columns as texts, as tables of csv have them.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "containers/parquet/format.h"

namespace assay::parquet {

/// "a timestamp", "bytes", ...: why the values of a column have no text here; "": they have one, as
/// texts, numbers, decimals and booleans do.
std::string why_no_text(const Column& column);

/// Appends a value of a column that has texts: numbers with all their digits ("3", "0.25",
/// "12.00"), nothing for a NaN, "True" and "False". Throws bad_input: a decimal that is too long.
void append_text(std::string& out, const Column& column, std::span<const std::byte> value);

}  // namespace assay::parquet
