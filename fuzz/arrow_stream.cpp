// Reads any bytes as an Arrow stream or file: columns whose rows can all be read, and their csv, or
// an Error.
#include "containers/arrow/stream_reader.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "assay/error.h"
#include "containers/arrow/arrow_csv.h"
#include "core/refuse.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using Type = assay::arrow::StreamField::Type;
    const assay::MemorySource source(std::as_bytes(std::span(data, size)));
    try {
        const auto stream = assay::arrow::StreamReader::open(source);
        for (const auto& batch : stream.batches()) {
            for (std::uint64_t row = 0; row < std::min<std::uint64_t>(batch.rows, 64); ++row) {
                for (const auto& field : stream.fields()) {
                    if (field.type == Type::other || field.type == Type::null) continue;
                    assay::arrow::is_valid(source, batch, field, row);
                    if (field.type == Type::integer)
                        assay::arrow::integer_of_row(source, batch, field, row);
                    if (field.type != Type::text && field.type != Type::binary) continue;
                    const auto place = assay::arrow::bytes_of_row(source, batch, field, row);
                    if (place.begin > size || place.size > size - place.begin) __builtin_trap();
                }
            }
        }
    } catch (const assay::Error&) {
    }
    try {
        std::size_t left = std::size_t{1} << 22;  // one text of a dictionary may be in every row
        assay::arrow::write_csv(std::as_bytes(std::span(data, size)), [&](std::string_view piece) {
            if (piece.size() > left) assay::refuse("long enough");
            left -= piece.size();
        });
    } catch (const assay::Error&) {
    }
    return 0;
}
