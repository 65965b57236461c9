#include "containers/parquet/parquet_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "containers/at_place.h"
#include "containers/little_endian.h"
#include "core/refuse.h"

namespace assay::parquet {
namespace {

constexpr std::uint64_t most_metadata = 64U << 20;
constexpr std::size_t tail_size = 8;  // the size of the metadata, then the magic bytes
constexpr std::string_view magic = "PAR1";
constexpr std::string_view encrypted_magic = "PARE";

/// The metadata at the end of the file.
std::vector<std::byte> read_metadata(const SourceFile& source) {
    if (source.size() < magic.size() + tail_size)
        refuse(fmt::format("not a Parquet file: it has {} bytes", source.size()));
    std::array<std::byte, tail_size> tail{};
    source.read(source.size() - tail_size, tail);
    const std::string_view end(reinterpret_cast<const char*>(tail.data()) + 4, magic.size());
    if (end == encrypted_magic) refuse("its metadata are encrypted, which is not supported");
    if (end != magic) refuse("not a Parquet file, or cut off: it does not end with `PAR1`");
    const std::uint64_t size = little_endian(std::span(tail).first(4));
    const std::uint64_t most = source.size() - tail_size - magic.size();
    if (size > std::min(most, most_metadata)) {
        refuse(fmt::format("damaged: it claims metadata of {} bytes; the limit is {}", size,
                           std::min(most, most_metadata)));
    }
    std::vector<std::byte> metadata(size);
    source.read(source.size() - tail_size - size, metadata);
    return metadata;
}

}  // namespace

File::File(const std::filesystem::path& path)
    : source_(path), metadata_(read_metadata(source_)), footer_(parse_footer(metadata_)) {}

std::vector<ColumnIndex> File::index(std::span<const std::size_t> columns) const {
    const std::uint64_t data_end = source_.size() - tail_size - metadata_.size();
    const auto groups = parse_row_groups(metadata_, footer_, columns, data_end);
    std::vector<ColumnIndex> indices;
    for (std::size_t i = 0; i < columns.size(); ++i)
        indices.emplace_back(source_, footer_.columns.at(columns[i]), groups, i);
    return indices;
}

}  // namespace assay::parquet
