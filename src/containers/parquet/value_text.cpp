#include "containers/parquet/value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "containers/little_endian.h"
#include "core/half.h"
#include "core/refuse.h"

namespace assay::parquet {
namespace {

constexpr std::uint32_t longest_decimal = 32;

bool is_whole(const Column& column) {
    return column.type == Physical::int32 || column.type == Physical::int64;
}

/// Reads a signed integer of the column's width.
std::int64_t signed_value(std::span<const std::byte> bytes) {
    const std::uint64_t value = little_endian(bytes);
    return bytes.size() == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                             : static_cast<std::int64_t>(value);
}

void append_real(std::string& out, auto value) {
    if (!std::isnan(value)) fmt::format_to(std::back_inserter(out), "{}", value);
}

/// The decimal digits of a two's complement number, with the highest byte first.
std::string digits_of(std::vector<std::byte> bytes, bool& negative) {
    negative = !bytes.empty() && std::to_integer<unsigned>(bytes.front()) >= 0x80;
    if (negative) {
        unsigned carry = 1;
        for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
            carry += std::to_integer<unsigned>(~*byte);
            *byte = static_cast<std::byte>(carry & 0xff);
            carry >>= 8;
        }
    }
    std::string digits;
    while (std::ranges::any_of(bytes, [](std::byte byte) { return byte != std::byte{0}; })) {
        unsigned rest = 0;
        for (std::byte& byte : bytes) {
            rest = rest * 256 + std::to_integer<unsigned>(byte);
            byte = static_cast<std::byte>(rest / 10);
            rest %= 10;
        }
        digits += static_cast<char>('0' + rest);
    }
    std::ranges::reverse(digits);
    return digits;
}

void append_decimal(std::string& out, const Column& column, std::span<const std::byte> value) {
    std::vector<std::byte> bytes(value.begin(), value.end());
    if (is_whole(column)) std::ranges::reverse(bytes);
    bool negative = false;
    std::string digits = digits_of(std::move(bytes), negative);
    const auto scale = static_cast<std::size_t>(column.scale);
    if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
    if (negative) out += '-';
    out.append(digits, 0, digits.size() - scale);
    if (scale > 0) out.append(".").append(digits, digits.size() - scale);
}

}  // namespace

std::string why_no_text(const Column& column) {
    constexpr int most_digits = 76;
    switch (column.meaning) {
        case Meaning::date:
            return "a date";
        case Meaning::time:
            return "a time";
        case Meaning::timestamp:
            return "a timestamp";
        case Meaning::other:
            return "of a type that is not supported";
        case Meaning::decimal:
            return column.length > longest_decimal || column.scale < 0 || column.scale > most_digits
                       ? "a decimal of a size that is not supported"
                       : "";
        case Meaning::float16:
            return column.type == Physical::fixed_bytes && column.length == 2 ? "" : "bytes";
        default:
            break;
    }
    if (column.type == Physical::int96) return "a timestamp";
    if (column.type == Physical::fixed_bytes) return "bytes";
    if (column.type == Physical::byte_array && column.meaning != Meaning::text) return "bytes";
    return "";
}

void append_text(std::string& out, const Column& column, std::span<const std::byte> value) {
    if (column.meaning == Meaning::decimal) {
        if (value.size() > longest_decimal)
            refuse(fmt::format("a decimal of {} bytes; the limit is {}", value.size(),
                               longest_decimal));
        return append_decimal(out, column, value);
    }
    switch (column.type) {
        case Physical::boolean:
            out += value[0] != std::byte{0} ? "True" : "False";
            return;
        case Physical::int32:
        case Physical::int64:
            if (column.meaning == Meaning::unsigned_integer) {
                fmt::format_to(std::back_inserter(out), "{}", little_endian(value));
            } else {
                fmt::format_to(std::back_inserter(out), "{}", signed_value(value));
            }
            return;
        case Physical::float32:
            return append_real(
                out, std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(value))));
        case Physical::float64:
            return append_real(out, std::bit_cast<double>(little_endian(value)));
        case Physical::fixed_bytes:
            return append_real(out,
                               float_from_half(static_cast<std::uint16_t>(little_endian(value))));
        default:
            out.append(reinterpret_cast<const char*>(value.data()), value.size());
    }
}

}  // namespace assay::parquet
