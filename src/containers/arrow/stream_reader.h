// Files of Arrow's IPC streaming format, as the library `datasets` saves them: where the columns of
// each batch lie. Nothing but the metadata is read. Arrow columnar format, version 1.5
// (arrow.apache.org/docs/format/Columnar.html); FlatBuffers are read by hand and are not believed.
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
    std::string called;     ///< for messages: "int64", "list"
    std::size_t width = 0;  ///< bytes of an integer, or of an offset of texts and bytes
    bool is_signed = true;
    std::vector<StreamField> children{};
    std::size_t node = 0;    ///< its number among the batch's nodes
    std::size_t buffer = 0;  ///< the number of its first buffer: the validity, where it has one
};

/// A run of bytes of the file.
struct StreamBuffer {
    std::uint64_t begin = 0, size = 0;
};

struct StreamBatch {
    std::uint64_t rows = 0;
    std::vector<std::uint64_t> nulls;  ///< of each node
    std::vector<StreamBuffer> buffers;
};

class StreamReader {
public:
    /// Throws bad_input: no such stream, cut off, damaged, compressed or big-endian batches,
    /// columns whose layout is not known.
    static StreamReader open(const ByteSource& file);

    const std::vector<StreamField>& fields() const noexcept { return fields_; }
    const std::vector<StreamBatch>& batches() const noexcept { return batches_; }
    /// A value of the schema's metadata; "": none.
    std::string_view metadata(const std::string& key) const;

private:
    std::vector<StreamField> fields_;
    std::map<std::string, std::string> metadata_;
    std::vector<StreamBatch> batches_;
};

/// Whether a row of a column is not null; of any type but `other`. Throws bad_input.
bool is_valid(const ByteSource& file, const StreamBatch& batch, const StreamField& field,
              std::uint64_t row);
/// Where the bytes of a row lie, of texts and bytes. Throws bad_input: beyond the column's bytes.
StreamBuffer bytes_of_row(const ByteSource& file, const StreamBatch& batch,
                          const StreamField& field, std::uint64_t row);
/// An integer of a row. Throws bad_input.
std::int64_t integer_of_row(const ByteSource& file, const StreamBatch& batch,
                            const StreamField& field, std::uint64_t row);

}  // namespace assay::arrow
