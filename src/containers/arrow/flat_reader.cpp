#include "containers/arrow/flat_reader.h"

#include "containers/little_endian.h"
#include "core/refuse.h"

namespace assay::arrow {
namespace {

[[noreturn]] void refuse_flat() {
    refuse("its metadata are damaged: an offset points outside the file");
}

}  // namespace

FlatReader FlatReader::root(std::span<const std::byte> bytes) {
    FlatReader start({}, 0);
    start.bytes_ = bytes;
    return {bytes, start.followed(0)};
}

FlatReader::FlatReader(std::span<const std::byte> bytes, std::size_t at) : bytes_(bytes), at_(at) {
    if (bytes.empty()) return;
    const auto back = static_cast<std::int32_t>(this->at(at_, 4));
    const std::int64_t vtable = static_cast<std::int64_t>(at_) - back;
    if (vtable < 0 || vtable > static_cast<std::int64_t>(bytes_.size())) refuse_flat();
    vtable_ = static_cast<std::size_t>(vtable);
    const auto size = static_cast<std::size_t>(this->at(vtable_, 2));
    if (size < 4 || size > bytes_.size() - vtable_) refuse_flat();
    fields_ = (size - 4) / 2;
}

std::uint64_t FlatReader::at(std::size_t place, std::size_t size) const {
    if (place > bytes_.size() || size > bytes_.size() - place) refuse_flat();
    return little_endian(bytes_.subspan(place, size));
}

std::size_t FlatReader::place_of(std::size_t field) const {
    if (field >= fields_) return 0;
    const auto offset = static_cast<std::size_t>(at(vtable_ + 4 + 2 * field, 2));
    return offset == 0 ? 0 : at_ + offset;
}

std::size_t FlatReader::followed(std::size_t place) const {
    const auto offset = static_cast<std::size_t>(at(place, 4));
    if (offset == 0 || offset > bytes_.size() - place) refuse_flat();
    return place + offset;
}

std::uint64_t FlatReader::number(std::size_t field, std::size_t size, std::uint64_t absent) const {
    const std::size_t place = place_of(field);
    return place == 0 ? absent : at(place, size);
}

std::optional<FlatReader> FlatReader::table(std::size_t field) const {
    const std::size_t place = place_of(field);
    if (place == 0) return std::nullopt;
    return FlatReader(bytes_, followed(place));
}

std::pair<std::size_t, std::size_t> FlatReader::vector(std::size_t field,
                                                       std::size_t element) const {
    const std::size_t place = place_of(field);
    if (place == 0) return {0, 0};
    const std::size_t begin = followed(place);
    const auto count = static_cast<std::size_t>(at(begin, 4));
    if (count > (bytes_.size() - begin - 4) / element) refuse_flat();
    return {begin + 4, count};
}

std::string FlatReader::text(std::size_t field) const {
    const auto [begin, count] = vector(field, 1);
    return {reinterpret_cast<const char*>(bytes_.data()) + begin, count};
}

std::vector<FlatReader> FlatReader::tables(std::size_t field) const {
    // All elements may point to the same table, and a table takes more memory than its offset, so
    // their number is limited.
    constexpr std::size_t most = std::size_t{1} << 16;
    const auto [begin, count] = vector(field, 4);
    if (count > most) refuse("its metadata have longer lists than are supported");
    std::vector<FlatReader> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(FlatReader(bytes_, followed(begin + 4 * i)));
    return all;
}

std::vector<std::uint64_t> FlatReader::firsts(std::size_t field,
                                              std::size_t structure_bytes) const {
    const auto [begin, count] = vector(field, structure_bytes);
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(at(begin + structure_bytes * i, 8));
    return all;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> FlatReader::pairs(std::size_t field) const {
    const auto [begin, count] = vector(field, 16);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (std::size_t i = 0; i < count; ++i)
        all.emplace_back(at(begin + 16 * i, 8), at(begin + 16 * i + 8, 8));
    return all;
}

}  // namespace assay::arrow
