#include "data/parquet/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "containers/at_place.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::parquet {

void Images::add(const std::filesystem::path& path, std::uint64_t bytes, ColumnIndex column) {
    const auto [before, fresh] = by_name_.emplace(path.filename().string(), files_.size());
    if (!fresh) {
        refuse(fmt::format("{} and {} have one name, by which rows are called: rename one",
                           files_[before->second].path.string(), path.string()));
    }
    const std::uint64_t rows = column.rows();
    files_.push_back({path, bytes, rows_, std::move(column)});
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
        const SourceFile source(file.path);
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

std::vector<std::byte> Images::read(std::string_view name, std::uint64_t limit) const {
    const std::size_t slash = name.rfind('/');
    std::uint64_t row = 0;
    if (slash != std::string_view::npos && parse_number(name.substr(slash + 1), row)) {
        const auto file = by_name_.find(name.substr(0, slash));
        if (file != by_name_.end() && row < files_[file->second].column.rows())
            return read(files_[file->second].first_row + row, limit);
    }
    refuse(fmt::format("no image is called `{}`: names are <file>/<row>", shortened(name)));
}

}  // namespace assay::parquet
