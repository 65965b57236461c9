#include "containers/mat5.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "containers/at_place.h"
#include "containers/inflated_source.h"
#include "containers/little_endian.h"
#include "containers/mat/format.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::size_t most_mat5_arrays = 4096;

Mat5Array::Type mat5_type(std::uint32_t type) {
    using Type = Mat5Array::Type;
    switch (type) {
        case mat::int8_type:
            return Type::int8;
        case mat::uint8_type:
            return Type::uint8;
        case mat::int16_type:
            return Type::int16;
        case mat::uint16_type:
            return Type::uint16;
        case mat::int32_type:
            return Type::int32;
        case mat::uint32_type:
            return Type::uint32;
        case mat::float64_type:
            return Type::float64;
        default:
            return Type::other;
    }
}

std::size_t mat5_size(Mat5Array::Type type) {
    using Type = Mat5Array::Type;
    switch (type) {
        case Type::uint8:
        case Type::int8:
        case Type::other:
            return 1;
        case Type::uint16:
        case Type::int16:
            return 2;
        case Type::int32:
        case Type::uint32:
            return 4;
        case Type::float64:
            break;
    }
    return 8;
}

/// The parts of a matrix: flags, sizes, name, numbers.
Mat5Array mat5_array(std::shared_ptr<const ByteSource> source, std::uint64_t begin) {
    Mat5Array array;
    const mat::Tag flags = mat::tag_at(*source, begin);
    if (flags.size != 8) refuse(fmt::format("it is damaged at byte {}", flags.begin));
    const std::uint64_t kind = little_endian(*source, flags.begin, 4);
    const mat::Tag sizes = mat::tag_at(*source, flags.next);
    constexpr std::uint64_t most_dimensions = 32;
    if (sizes.size % 4 != 0 || sizes.size > 4 * most_dimensions)
        refuse(fmt::format("it is damaged at byte {}", sizes.begin));
    for (std::uint64_t i = 0; i < sizes.size; i += 4)
        array.shape.push_back(little_endian(*source, sizes.begin + i, 4));
    const mat::Tag name = mat::tag_at(*source, sizes.next);
    constexpr std::uint64_t longest_name = 4096;
    if (name.size > longest_name) refuse(fmt::format("it is damaged at byte {}", name.begin));
    std::vector<std::byte> text(static_cast<std::size_t>(name.size));
    source->read(name.begin, text);
    for (const std::byte byte : text) array.name += static_cast<char>(byte);
    // Numbers of 64 bits are not supported.
    constexpr std::uint64_t last_number = 13, complex = 0x800;
    const std::uint64_t number_class = kind & 0xff;
    if (number_class < mat::double_class || number_class > last_number || (kind & complex) != 0)
        return array;
    const mat::Tag numbers = mat::tag_at(*source, name.next);
    array.type = mat5_type(numbers.type);
    const std::size_t each = mat5_size(array.type);
    if (array.type != Mat5Array::Type::other &&
        (numbers.size % each != 0 || numbers.size / each != array.count())) {
        refuse(fmt::format("its array `{}` has {} bytes of numbers, and {} numbers of {} bytes",
                           shortened(array.name), numbers.size, array.count(), each));
    }
    array.begin = numbers.begin;
    array.bytes = std::move(source);
    return array;
}

}  // namespace

std::uint64_t Mat5Array::count() const {
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) {
        if (size > 0 && count > UINT64_MAX / size)
            refuse(fmt::format("the sizes of its array `{}` are too large", shortened(name)));
        count *= size;
    }
    return count;
}

std::vector<std::int64_t> Mat5Array::integers() const {
    const std::size_t each = mat5_size(type);
    std::vector<std::int64_t> all;
    for (std::uint64_t i = 0; i < count(); ++i) {
        const std::uint64_t raw = little_endian(*bytes, begin + i * each, each);
        if (type == Type::float64) {
            const auto value = std::bit_cast<double>(raw);
            if (!(std::abs(value) < 0x1p53) || std::floor(value) != value)
                refuse(fmt::format("number {} of its array `{}` is {}, not an integer", i,
                                   shortened(name), value));
            all.push_back(static_cast<std::int64_t>(value));
        } else {
            const bool with_sign = type == Type::int8 || type == Type::int16 || type == Type::int32;
            const bool negative = with_sign && (raw >> (8 * each - 1)) != 0;
            all.push_back(
                static_cast<std::int64_t>(negative ? raw | ~std::uint64_t{0} << (8 * each) : raw));
        }
    }
    return all;
}

std::vector<Mat5Array> read_mat5(const std::shared_ptr<const ByteSource>& file) {
    mat::check_header(*file);
    std::vector<Mat5Array> arrays;
    for (std::uint64_t at = mat::header_bytes; at < file->size();) {
        const mat::Tag tag = mat::tag_at(*file, at);
        if (arrays.size() == most_mat5_arrays)
            refuse(fmt::format("it has more than {} arrays", most_mat5_arrays));
        if (tag.type == mat::matrix_type) {
            arrays.push_back(mat5_array(file, tag.begin));
        } else if (tag.type == mat::packed_type) {
            constexpr std::uint64_t most_ratio = 1032;
            arrays.push_back(
                at_place([&] { return fmt::format("array {}", arrays.size() + 1); },
                         [&] {
                             auto unpacked = std::make_shared<const InflatedSource>(
                                 std::make_shared<const SourcePart>(file, tag.begin, tag.size),
                                 DeflateWrap::zlib, most_ratio * tag.size);
                             const mat::Tag inner = mat::tag_at(*unpacked, 0);
                             if (inner.type != mat::matrix_type) refuse("it is not an array");
                             return mat5_array(std::move(unpacked), inner.begin);
                         }));
        } else {
            refuse(fmt::format("it is damaged at byte {}: element of type {}", at, tag.type));
        }
        at = tag.next;
    }
    return arrays;
}

}  // namespace assay
