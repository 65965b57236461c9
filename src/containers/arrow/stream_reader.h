// Locates the columns of each batch in files of Arrow's IPC formats: streams, as the library
// `datasets` saves them, and files ("Feather version 2"). Only metadata is read. Arrow columnar
// format, version 1.5 (arrow.apache.org/docs/format/Columnar.html). A small FlatBuffers reader of
// our own checks every offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "containers/byte_source.h"

namespace assay::arrow {

class FlatReader;

struct StreamField {
    /// A `dictionary` has numbers that count into its values. A `view` is a text in Arrow's layout
    /// of views.
    enum class Type : std::uint8_t {
        integer,
        text,
        binary,
        structure,
        null,
        real,
        boolean,
        decimal,
        dictionary,
        view,
        other
    };
    std::string name;
    Type type = Type::other;
    std::string called;     ///< name of the type in messages: "int64", "list"
    std::size_t width = 0;  ///< bytes of a number, or of an offset for texts and bytes
    bool is_signed = true;
    int scale = 0;  ///< for a decimal: the number of digits after the point
    std::vector<StreamField> children{};
    std::uint64_t dictionary = 0;  ///< the number of its values in StreamReader::values()
    std::size_t node = 0;          ///< its index among the batch's nodes
    std::size_t buffer = 0;        ///< index of its first buffer, which is the validity if it has
                                   ///< one
    std::size_t view = 0;          ///< its index among the columns of views
};

enum class StreamCodec : std::uint8_t { none, lz4, zstd };

/// A run of bytes of the file.
struct StreamBuffer {
    std::uint64_t begin = 0, size = 0;
};

struct StreamBatch {
    std::uint64_t rows = 0;
    std::vector<std::uint64_t> nulls;  ///< number of nulls of each node
    std::vector<StreamBuffer> buffers;
    std::vector<std::vector<StreamBuffer>> views;  ///< further buffers of each column of views
    StreamCodec codec = StreamCodec::none;         ///< of each buffer
};

/// The values of dictionaries, in the order of the stream. They are in a batch of one column.
struct StreamDictionary {
    std::uint64_t dictionary = 0;
    bool more = false;       ///< true if the values follow those before, instead of replacing them
    std::size_t before = 0;  ///< valid for batches from this number on
    StreamBatch batch;
};

class StreamReader {
public:
    /// Throws bad_input for other files, truncated or damaged ones, big-endian batches, and columns
    /// with an unknown layout.
    static StreamReader open(const ByteSource& file);

    const std::vector<StreamField>& fields() const noexcept { return fields_; }
    const std::vector<StreamBatch>& batches() const noexcept { return batches_; }
    const std::vector<StreamDictionary>& dictionaries() const noexcept { return dictionaries_; }
    /// The column of a dictionary's values. Throws std::out_of_range.
    const StreamField& values(std::uint64_t dictionary) const {
        return values_.at(dictionary).field;
    }
    /// A value of the schema's metadata, or "" if absent.
    std::string_view metadata(const std::string& key) const;

    /// The numbers of nodes and buffers of a batch with these columns.
    struct Numbering {
        std::size_t nodes = 0, buffers = 0;
        std::vector<std::size_t> views;  ///< buffers up to the end of each column of views
    };

private:
    struct Values {
        StreamField field;
        Numbering numbering;
    };
    void read_stream(const ByteSource& file);
    void read_file(const ByteSource& file);
    void take_schema(const FlatReader& schema);
    /// Takes the message at `at`. Returns its end, or `at` for the mark at the end of a stream.
    std::uint64_t take_message(const ByteSource& file, std::uint64_t at);
    /// Gives nodes and buffers their numbers, in the order of a batch.
    StreamField field_of(const FlatReader& table, Numbering& next, int depth, bool is_values);

    std::vector<StreamField> fields_;
    Numbering numbering_;
    bool has_schema_ = false;
    std::map<std::uint64_t, Values> values_;
    std::vector<StreamDictionary> dictionaries_;
    std::map<std::string, std::string> metadata_;
    std::vector<StreamBatch> batches_;
};

/// True if a row of a column is not null. The batch must not be compressed, and the type must be
/// neither `null` nor `other`. Throws bad_input.
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
