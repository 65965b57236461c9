// Files of tables as text: csv and similar files unchanged, Parquet, Arrow and JSON lines converted
// to csv.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace assay {

struct TableText {
    std::string text;
    std::string left_out;         ///< columns without texts: "boxes (a list), made (a timestamp)"
    std::size_t added_lines = 0;  ///< lines at the start that the file does not have: the header
};

/// True if the extension says that the file has named columns: .csv, .tsv, .parquet, .jsonl,
/// .arrow, .feather, .ipc.
bool has_table_extension(const std::filesystem::path& path);

/// Throws bad_input, naming the file: missing, damaged, more than `most_bytes` of text.
TableText read_table_text(const std::filesystem::path& path, std::uint64_t most_bytes);

/// A file whose text is read once and shared by all readers.
class TableFile {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): a path is a file
    TableFile(std::filesystem::path path) : path_(std::move(path)) {}

    const std::filesystem::path& path() const { return path_; }
    /// Throws as read_table_text() does, at each call.
    const TableText& read(std::uint64_t most_bytes) const {
        if (!text_) text_ = read_table_text(path_, most_bytes);
        return *text_;
    }

private:
    std::filesystem::path path_;
    mutable std::optional<TableText> text_;
};

}  // namespace assay
