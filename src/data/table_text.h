// Files of tables as text: csv and the like as they are, Parquet and JSON lines as the csv that
// they would be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace assay {

struct TableText {
    std::string text;
    std::string left_out;  ///< "boxes (a list), made (a timestamp)": columns that have no texts
    std::size_t added_lines = 0;  ///< lines in front that the file does not have: the names
};

/// Whether the file's name says that it has columns with names: .csv, .tsv, .parquet, .jsonl.
bool has_table_extension(const std::filesystem::path& path);

/// Throws bad_input, naming the file: missing, damaged, more than `most_bytes` of text.
TableText read_table_text(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace assay
