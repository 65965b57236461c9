// The metadata at the end of a Parquet file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "containers/parquet/format.h"

namespace assay::parquet {

struct Footer {
    std::uint64_t rows = 0;
    std::vector<Column> columns;  ///< the leaves, in the schema's order
    std::string huggingface;      ///< the JSON that the library `datasets` stores; "" if there is
                                  ///< none
};

struct RowGroup {
    std::uint64_t rows = 0;
    std::vector<Chunk> chunks;  ///< for the requested columns
};

/// The schema and other facts about the whole file. Throws bad_input: damaged, encrypted, more than
/// 10,000 columns or 2^24 rows.
Footer parse_footer(std::span<const std::byte> metadata);

/// The positions of the chunks of the `wanted` columns. `data_end` is where the metadata begin, so
/// chunks must end before it. Throws bad_input, naming row group and column: damaged, encrypted, in
/// another file, row counts that do not add up, an unsupported codec.
std::vector<RowGroup> parse_row_groups(std::span<const std::byte> metadata, const Footer& footer,
                                       std::span<const std::size_t> wanted, std::uint64_t data_end);

}  // namespace assay::parquet
