#include "containers/hdf5/elements.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "containers/hdf5/objects.h"
#include "core/refuse.h"

namespace assay::hdf5 {
namespace {

enum class Class : std::uint8_t {
    integer,
    real,
    time,
    text,
    bits,
    opaque,
    compound,
    reference,
    enumeration,
    any_length,
    array
};

ElementType integer_type(std::uint64_t bits, std::size_t size, Fields& fields) {
    constexpr unsigned is_big = 0x01, is_signed = 0x08;
    const std::uint64_t offset = fields.number(2), precision = fields.number(2);
    const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
    if (!whole || offset != 0 || precision != 8 * size)
        refuse(fmt::format("its integers of {} bits in {} bytes are not read", precision, size));
    return {.descr = fmt::format("{}{}{}", size == 1 ? '|' : '<',
                                 (bits & is_signed) != 0 ? 'i' : 'u', size),
            .size = size,
            .big_endian = (bits & is_big) != 0};
}

ElementType real_type(std::uint64_t bits, std::size_t size, Fields& fields) {
    struct Ieee {
        std::size_t size;
        std::array<std::uint64_t, 5> parts;  // position, size of exponent and mantissa; then bias
    };
    constexpr Ieee known[] = {
        {2, {10, 5, 0, 10, 15}}, {4, {23, 8, 0, 23, 127}}, {8, {52, 11, 0, 52, 1023}}};
    constexpr unsigned is_big = 0x01, is_vax = 0x40;
    fields.skip(4);
    std::array<std::uint64_t, 5> parts{};
    for (std::size_t i = 0; i < 4; ++i) parts[i] = fields.number(1);
    parts[4] = fields.number(4);
    for (const Ieee& one : known) {
        if (one.size != size || one.parts != parts || (bits & is_vax) != 0) continue;
        return {
            .descr = fmt::format("<f{}", size), .size = size, .big_endian = (bits & is_big) != 0};
    }
    refuse(fmt::format(
        "its real numbers of {} bytes are not IEEE's: float16, float32 and float64 are supported",
        size));
}

std::string_view name_of_class(Class kind) {
    switch (kind) {
        case Class::time:
            return "times";
        case Class::bits:
            return "bit fields";
        case Class::opaque:
            return "bytes without a type";
        case Class::compound:
            return "compounds";
        case Class::reference:
            return "references";
        case Class::array:
            return "arrays";
        default:
            return "elements of an unknown type";
    }
}

}  // namespace

ElementType element_type(std::span<const std::byte> message) {
    Fields fields(message, "a data type");
    const auto kind = static_cast<Class>(fields.number(1) & 0x0FU);
    const std::uint64_t bits = fields.number(3);
    const auto size = static_cast<std::size_t>(fields.number(4));
    constexpr unsigned low_half = 0x0F;
    switch (kind) {
        case Class::integer:
            return integer_type(bits, size, fields);
        case Class::real:
            return real_type(bits, size, fields);
        case Class::text: {
            constexpr std::size_t longest = 1U << 16;
            constexpr unsigned padded_by_blanks = 2;
            if (size == 0 || size > longest || (bits & low_half) >= padded_by_blanks)
                refuse(
                    fmt::format("its texts of {} bytes are padded with blanks or too long", size));
            return {.descr = fmt::format("|S{}", size), .size = size};
        }
        case Class::enumeration: {  // also h5py's booleans; the type of the numbers follows
            const std::size_t integers = fields.left();
            const auto kind_of_base =
                static_cast<Class>(Fields(fields).number(1) & std::uint64_t{low_half});
            if (kind_of_base != Class::integer) refuse("its enumeration is not one of integers");
            return element_type(message.last(integers));
        }
        case Class::any_length: {
            constexpr unsigned text = 1;
            constexpr std::size_t heap_id = 16;
            if ((bits & low_half) != text || size != heap_id)
                refuse("it holds lists, which are not supported");
            return {.descr = "", .size = size, .big_endian = false, .any_length = true};
        }
        default:
            refuse(fmt::format("it holds {}, which are not supported", name_of_class(kind)));
    }
}

std::vector<std::uint64_t> shape_of(std::span<const std::byte> message, std::size_t element_bytes) {
    Fields fields(message, "a shape");
    const std::uint64_t version = fields.number(1), axes = fields.number(1);
    constexpr std::uint64_t most_axes = 8, most_bytes = std::uint64_t{1} << 60;
    if ((version != 1 && version != 2) || axes > most_axes)
        refuse(fmt::format("a shape of version {} and {} axes is not supported", version, axes));
    fields.skip(1);
    constexpr std::uint64_t empty = 2;
    if (version == 1) fields.skip(5);
    if (version == 2 && fields.number(1) == empty) refuse("it is empty");
    std::vector<std::uint64_t> shape;
    std::uint64_t bytes = element_bytes;
    for (std::uint64_t i = 0; i < axes; ++i) {
        shape.push_back(fields.number(8));
        if (shape.back() == 0) refuse("it is empty");
        if (shape.back() > most_bytes / bytes) refuse("its shape is too large for any file");
        bytes *= shape.back();
    }
    return shape;
}

}  // namespace assay::hdf5
