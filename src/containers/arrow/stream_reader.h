// Locates the columns of each batch in files of Arrow's IPC streaming format, as the library
// `datasets` saves them. Only metadata is read. Arrow columnar format, version 1.5
// (arrow.apache.org/docs/format/Columnar.html). A small FlatBuffers reader of our own checks every
// offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "containers/byte_source.h"

namespace assay::arrow {

struct StreamField {
    enum class Type : std::uint8_t { integer, text, binary, structure, other };
    std::string name;
    Type type = Type::other;
    std::string called;     ///< name of the type in messages: "int64", "list"
    std::size_t width = 0;  ///< bytes of an integer, or of an offset for texts and bytes
    bool is_signed = true;
    std::vector<StreamField> children{};
    std::size_t node = 0;    ///< its index among the batch's nodes
    std::size_t buffer = 0;  ///< index of its first buffer, which is the validity if it has
                             ///< one
};

/// A run of bytes of the file.
struct StreamBuffer {
    std::uint64_t begin = 0, size = 0;
};

struct StreamBatch {
    std::uint64_t rows = 0;
    std::vector<std::uint64_t> nulls;  ///< number of nulls of each node
    std::vector<StreamBuffer> buffers;
};

class StreamReader {
public:
    /// Throws bad_input for other files, truncated or damaged ones, compressed or big-endian
    /// batches, and columns with an unknown layout.
    static StreamReader open(const ByteSource& file);

    const std::vector<StreamField>& fields() const noexcept { return fields_; }
    const std::vector<StreamBatch>& batches() const noexcept { return batches_; }
    /// A value of the schema's metadata, or "" if absent.
    std::string_view metadata(const std::string& key) const;

private:
    std::vector<StreamField> fields_;
    std::map<std::string, std::string> metadata_;
    std::vector<StreamBatch> batches_;
};

/// True if a row of a column is not null. The type must not be `other`. Throws bad_input.
bool is_valid(const ByteSource& file, const StreamBatch& batch, const StreamField& field,
              std::uint64_t row);
/// The location of a row's bytes, for texts and bytes. Throws bad_input if it is beyond the
/// column's bytes.
StreamBuffer bytes_of_row(const ByteSource& file, const StreamBatch& batch,
                          const StreamField& field, std::uint64_t row);
/// The integer in a row. Throws bad_input.
std::int64_t integer_of_row(const ByteSource& file, const StreamBatch& batch,
                            const StreamField& field, std::uint64_t row);

}  // namespace assay::arrow
