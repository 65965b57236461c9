// TensorBoard's event files: TFRecords of protobuf messages, of which five are needed.
//
// Formats: tensorflow/core/lib/io/record_writer.h (a record), core/util/event.proto (Event: 1
// wall_time, 2 step, 3 file_version, 5 summary), core/framework/summary.proto (Summary: 1 value;
// Value: 1 tag, 2 simple_value).
#include <fmt/format.h>

#include <array>
#include <bit>
#include <concepts>

#include "assay/report/log.h"
#include "core/hash.h"

namespace assay {
namespace {

/// CRC-32C (Castagnoli) with reversed bits.
constexpr std::array<std::uint32_t, 256> castagnoli = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
        table[byte] = crc;
    }
    return table;
}();

std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    for (const char c : bytes)
        crc = (crc >> 8U) ^ castagnoli[(crc ^ static_cast<unsigned char>(c)) & 0xFFU];
    return ~crc;
}

/// Records contain a rotated checksum, so that the checksum of a record within a record is not
/// trivial.
std::uint32_t masked(std::uint32_t crc) {
    return std::rotr(crc, 15) + 0xA282EAD8U;
}

template <std::unsigned_integral Number>
std::string little_endian(Number number) {
    std::string out;
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        out += static_cast<char>((number >> (8 * i)) & 0xFFU);
    return out;
}

std::string record(const std::string& data) {
    const std::string length = little_endian(std::uint64_t{data.size()});
    return length + little_endian(masked(crc32c(length))) + data +
           little_endian(masked(crc32c(data)));
}

/// Writes a protobuf message, field by field.
class Message {
public:
    void varint(std::uint32_t field, std::uint64_t value) {
        key(field, 0);
        append(value);
    }
    void real64(std::uint32_t field, double value) {
        key(field, 1);
        bytes_ += little_endian(std::bit_cast<std::uint64_t>(value));
    }
    void bytes(std::uint32_t field, std::string_view value) {
        key(field, 2);
        append(value.size());
        bytes_ += value;
    }
    void real32(std::uint32_t field, float value) {
        key(field, 5);
        bytes_ += little_endian(std::bit_cast<std::uint32_t>(value));
    }
    const std::string& text() const { return bytes_; }

private:
    void key(std::uint32_t field, std::uint32_t wire) { append(field << 3U | wire); }
    void append(std::uint64_t number) {
        for (; number >= 0x80; number >>= 7U) bytes_ += static_cast<char>((number & 0x7FU) | 0x80U);
        bytes_ += static_cast<char>(number);
    }
    std::string bytes_;
};

}  // namespace

std::string event_file(const Log& log, std::uint64_t step, std::uint64_t time) {
    Message version, summary, event;
    version.real64(1, static_cast<double>(time));
    version.bytes(3, "brain.Event:2");
    for (const LogEntry& entry : log.entries) {
        if (!entry.value) continue;
        Message value;
        value.bytes(1, entry.name);
        value.real32(2, static_cast<float>(*entry.value));
        summary.bytes(1, value.text());
    }
    event.real64(1, static_cast<double>(time));
    event.varint(2, step);
    event.bytes(5, summary.text());
    return record(version.text()) + record(event.text());
}

std::string event_file_name(std::string_view bytes, std::uint64_t time) {
    const std::string hash = hash_text(bytes);
    return fmt::format("events.out.tfevents.{:010}.assay.{}", time, hash.substr(hash.size() - 16));
}

}  // namespace assay
