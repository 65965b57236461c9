// The header before each page.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "containers/parquet/format.h"

namespace assay::parquet {

/// The header at the beginning of `bytes`, and its size in bytes. Throws bad_input: damaged or
/// truncated, an unsupported encoding, sizes beyond largest_page or most_page_values.
std::pair<PageHeader, std::size_t> parse_page_header(std::span<const std::byte> bytes);

}  // namespace assay::parquet
