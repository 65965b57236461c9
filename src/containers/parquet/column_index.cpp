#include "containers/parquet/column_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "containers/at_place.h"
#include "containers/parquet/header_window.h"
#include "containers/parquet/page_header.h"
#include "core/refuse.h"

namespace assay::parquet {
namespace {

using Kind = PageHeader::Kind;

bool uses_dictionary(const PageHeader& header) {
    return header.kind != Kind::dictionary && (header.encoding == Encoding::plain_dictionary ||
                                               header.encoding == Encoding::rle_dictionary);
}

}  // namespace

ColumnIndex::ColumnIndex(const SourceFile& source, Column column,
                         const std::vector<RowGroup>& groups, std::size_t which)
    : column_(std::move(column)) {
    for (std::size_t group = 0; group < groups.size(); ++group) {
        const Chunk& chunk = groups[group].chunks.at(which);
        codecs_.push_back(chunk.codec);
        at_place([&] { return place_of(group); },
                 [&] { list_pages(source, group, chunk, groups[group].rows); });
    }
}

std::string ColumnIndex::place_of(std::size_t group) const {
    return fmt::format("row group {}, column `{}`", group, column_.path);
}

void ColumnIndex::list_pages(const SourceFile& source, std::size_t group, const Chunk& chunk,
                             std::uint64_t rows) {
    const std::uint64_t end = chunk.start + chunk.size;
    const std::uint64_t group_end = rows_ + rows;
    std::uint32_t dictionary = none;
    HeaderWindow window(source, end);
    std::uint64_t at = chunk.start;
    while (rows_ < group_end) {
        const std::uint64_t begin = at;
        at_place(
            [&] { return fmt::format("page at byte {}", begin); },
            [&] {
                if (at == end) {
                    refuse(fmt::format("the pages end too early: {} of {} rows are missing",
                                       group_end - rows_, rows));
                }
                const auto [header, header_size] = window.header_at(at);
                at += header_size;
                if (header.packed_size > end - at) {
                    refuse(fmt::format("it claims {} bytes, but the column has only {} left",
                                       header.packed_size, end - at));
                }
                add({rows_, at, header, static_cast<std::uint32_t>(group), dictionary}, group_end);
                if (header.kind == Kind::dictionary)
                    dictionary = static_cast<std::uint32_t>(pages_.size() - 1);
                at += header.packed_size;
            });
    }
}

void ColumnIndex::add(const Place& place, std::uint64_t group_end) {
    const PageHeader& header = place.header;
    if (header.kind == Kind::other) return;
    if (pages_.size() == none) refuse("the file has more than 2^32 pages");
    if (header.kind == Kind::dictionary) {
        if (place.dictionary != none) refuse("a second dictionary of one column");
        pages_.push_back(place);
        return;
    }
    if (uses_dictionary(header) && place.dictionary == none)
        refuse("its values refer to a dictionary, but none precedes it");
    if (header.values > group_end - rows_) {
        refuse(fmt::format("it claims {} rows, but the row group has only {} left", header.values,
                           group_end - rows_));
    }
    if (header.values == 0) return;
    pages_.push_back(place);
    rows_ += header.values;
}

std::size_t ColumnIndex::page_of(std::uint64_t row) const {
    const auto after =
        std::upper_bound(pages_.begin(), pages_.end(), row,
                         [](std::uint64_t r, const Place& page) { return r < page.first_row; });
    // A dictionary is listed with the row of the page after it, and before that
    // page.
    return static_cast<std::size_t>(after - pages_.begin()) - 1;
}

std::uint64_t ColumnIndex::rows_of(std::size_t page) const {
    const PageHeader& header = pages_.at(page).header;
    return header.kind == Kind::dictionary ? 0 : header.values;
}

Page ColumnIndex::read(const SourceFile& source, std::size_t page,
                       const ReadDictionary& dictionary) const {
    const Place& place = pages_.at(page);
    const auto where = [&] {
        return fmt::format("{}, page at byte {}", place_of(place.group), place.offset);
    };
    // Errors in the dictionary name its own place.
    std::shared_ptr<const Page> values;
    if (uses_dictionary(place.header)) values = dictionary(place.dictionary);
    return at_place(where, [&] {
        Buffer packed(place.header.packed_size);
        source.read(place.offset, packed.bytes());
        return read_page(column_, codecs_[place.group], place.header, packed.bytes(),
                         std::move(values));
    });
}

}  // namespace assay::parquet
