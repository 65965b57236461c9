#include "images.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/refuse.h"
#include "place.h"

namespace assay::parquet {

void Images::add(std::filesystem::path path, std::uint64_t bytes, ColumnIndex column) {
    const std::uint64_t rows = column.rows();
    files_.push_back({std::move(path), bytes, rows_, std::move(column)});
    rows_ += rows;
}

std::size_t Images::file_of(std::uint64_t row) const {
    const auto after =
        std::upper_bound(files_.begin(), files_.end(), row,
                         [](std::uint64_t r, const Indexed& file) { return r < file.first_row; });
    return static_cast<std::size_t>(after - files_.begin()) - 1;
}

std::string Images::place_of(std::uint64_t row) const {
    const Indexed& file = files_.at(file_of(row));
    return fmt::format("{} row {}", file.path.string(), row - file.first_row);
}

PageCache::Pointer Images::page(std::size_t number, std::size_t page_number) const {
    const Indexed& file = files_[number];
    return cache_.get(std::uint64_t{number} << 32 | page_number, [&] {
        const Source source(file.path);
        if (source.size() != file.bytes) {
            refuse(fmt::format("the file changed: it has {} bytes, and had {} when it was opened",
                               source.size(), file.bytes));
        }
        return std::make_shared<const Page>(file.column.read(
            source, page_number, [&](std::size_t dictionary) { return page(number, dictionary); }));
    });
}

std::vector<std::byte> Images::read(std::uint64_t row, std::uint64_t limit) const {
    return at_place([&] { return place_of(row); },
                    [&] {
                        const std::size_t number = file_of(row);
                        const Indexed& file = files_[number];
                        const std::uint64_t own = row - file.first_row;
                        const std::size_t place = file.column.page_of(own);
                        const PageCache::Pointer held = page(number, place);
                        const auto bytes = (*held)[own - file.column.first_row(place)];
                        if (!bytes) refuse("there is no image: its bytes are null");
                        if (bytes->size() > limit)
                            refuse(fmt::format("the image has {} bytes; at most {} are read",
                                               bytes->size(), limit));
                        return std::vector<std::byte>(bytes->begin(), bytes->end());
                    });
}

}  // namespace assay::parquet
