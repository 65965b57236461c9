#include "containers/mat5.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>

#include "containers/at_place.h"
#include "containers/inflated_source.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::uint64_t mat5_header = 128;
constexpr std::size_t most_mat5_arrays = 4096;
enum Mat5Element : std::uint32_t { mat5_matrix = 14, mat5_compressed = 15 };

std::uint64_t mat5_number(const ByteSource& source, std::uint64_t at, std::size_t bytes) {
    std::array<std::byte, 8> raw{};
    source.read(at, std::span(raw).first(bytes));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i)
        value |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
    return value;
}

/// What a tag says: the type, and where the data are.
struct Mat5Tag {
    std::uint64_t type = 0, begin = 0, size = 0;
    std::uint64_t next = 0;  ///< where the next tag begins
};

Mat5Tag mat5_tag(const ByteSource& source, std::uint64_t at) {
    Mat5Tag tag;
    const std::uint64_t first = mat5_number(source, at, 4);
    if (const std::uint64_t small = first >> 16; small > 0) {  // up to 4 bytes within the tag
        if (small > 4) refuse(fmt::format("it is damaged at byte {}", at));
        return {.type = first & 0xffff, .begin = at + 4, .size = small, .next = at + 8};
    }
    tag.type = first;
    tag.size = mat5_number(source, at + 4, 4);
    tag.begin = at + 8;
    if (tag.size > source.size() - std::min(source.size(), tag.begin))
        refuse(fmt::format("it is cut off: {} bytes from byte {} are needed; it has {}", tag.size,
                           tag.begin, source.size()));
    tag.next = tag.begin + (tag.size + 7) / 8 * 8;
    return tag;
}

Mat5Array::Type mat5_type(std::uint64_t type) {
    using Type = Mat5Array::Type;
    switch (type) {
        case 1:
            return Type::int8;
        case 2:
            return Type::uint8;
        case 3:
            return Type::int16;
        case 4:
            return Type::uint16;
        case 5:
            return Type::int32;
        case 6:
            return Type::uint32;
        case 9:
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
    const Mat5Tag flags = mat5_tag(*source, begin);
    if (flags.size != 8) refuse(fmt::format("it is damaged at byte {}", flags.begin));
    const std::uint64_t kind = mat5_number(*source, flags.begin, 4);
    const Mat5Tag sizes = mat5_tag(*source, flags.next);
    constexpr std::uint64_t most_dimensions = 32;
    if (sizes.size % 4 != 0 || sizes.size > 4 * most_dimensions)
        refuse(fmt::format("it is damaged at byte {}", sizes.begin));
    for (std::uint64_t i = 0; i < sizes.size; i += 4)
        array.shape.push_back(mat5_number(*source, sizes.begin + i, 4));
    const Mat5Tag name = mat5_tag(*source, sizes.next);
    constexpr std::uint64_t longest_name = 4096;
    if (name.size > longest_name) refuse(fmt::format("it is damaged at byte {}", name.begin));
    std::vector<std::byte> text(static_cast<std::size_t>(name.size));
    source->read(name.begin, text);
    for (const std::byte byte : text) array.name += static_cast<char>(byte);
    constexpr std::uint64_t first_number = 6, last_number = 13, complex = 0x800;
    const std::uint64_t number_class = kind & 0xff;
    if (number_class < first_number || number_class > last_number || (kind & complex) != 0)
        return array;
    const Mat5Tag numbers = mat5_tag(*source, name.next);
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
        const std::uint64_t raw = mat5_number(*bytes, begin + i * each, each);
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
    constexpr std::uint64_t version_5 = 0x0100, little_endian = 0x4d49;  // "IM"
    if (file->size() < mat5_header) refuse("it is no MAT file, or it was cut off");
    if (mat5_number(*file, 124, 2) != version_5 || mat5_number(*file, 126, 2) != little_endian) {
        refuse(
            "it is no MAT file of version 5, little-endian (version 7.3 is HDF5): write it again "
            "with scipy.io.savemat or save -v7");
    }
    std::vector<Mat5Array> arrays;
    for (std::uint64_t at = mat5_header; at < file->size();) {
        const Mat5Tag tag = mat5_tag(*file, at);
        if (arrays.size() == most_mat5_arrays)
            refuse(fmt::format("it has more than {} arrays", most_mat5_arrays));
        if (tag.type == mat5_matrix) {
            arrays.push_back(mat5_array(file, tag.begin));
            at = tag.next;
        } else if (tag.type == mat5_compressed) {
            constexpr std::uint64_t most_ratio = 1032;
            arrays.push_back(
                at_place([&] { return fmt::format("array {}", arrays.size() + 1); },
                         [&] {
                             auto unpacked = std::make_shared<const InflatedSource>(
                                 std::make_shared<const SourcePart>(file, tag.begin, tag.size),
                                 DeflateWrap::zlib, most_ratio * tag.size);
                             const Mat5Tag inner = mat5_tag(*unpacked, 0);
                             if (inner.type != mat5_matrix) refuse("it is no array");
                             return mat5_array(std::move(unpacked), inner.begin);
                         }));
            at = tag.begin + tag.size;  // not padded
        } else {
            refuse(fmt::format("it is damaged at byte {}: element of type {}", at, tag.type));
        }
    }
    return arrays;
}

}  // namespace assay
