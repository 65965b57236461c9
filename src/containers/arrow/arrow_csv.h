// Converts an Arrow table to the csv that pandas would write, for the readers of tables.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::arrow {

/// True for the extensions of Arrow's IPC formats: .arrow, .feather, .ipc.
bool has_table_ending(std::string_view ending);

/// Writes a header row and then the rows of a stream or of a file ("Feather version 2"), in pieces
/// of about a MiB, by the rules of parquet::write_csv(). Buffers may be compressed by lz4 or zstd.
/// Values of dictionaries (pandas' categories) are written out. Memory: the compressed columns of a
/// batch, unpacked, at most 2 GiB, and all dictionaries. Returns the columns that cannot be written
/// as text, and why: "boxes (lists)". Throws bad_input: another file, damaged, or no column can be
/// written.
std::vector<std::string> write_csv(std::span<const std::byte> file,
                                   const std::function<void(std::string_view)>& piece);

}  // namespace assay::arrow
