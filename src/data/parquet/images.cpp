#include "data/parquet/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "containers/at_place.h"
#include "core/file.h"
#include "core/refuse.h"
#include "core/text.h"
#include "core/url.h"
#include "image/exif.h"

namespace assay::parquet {

void Images::add(const std::filesystem::path& path, std::uint64_t bytes, ColumnIndex column,
                 std::optional<ColumnIndex> paths, bool turn) {
    const auto [before, fresh] = by_name_.emplace(path.filename().string(), files_.size());
    if (!fresh) {
        refuse(fmt::format(
            "{} and {} have the same name, but rows are named after their file: rename one",
            files_[before->second].path.string(), path.string()));
    }
    const std::uint64_t rows = column.rows();
    files_.push_back({path, bytes, rows_, std::move(column), std::move(paths), turn});
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

PageCache::Pointer Images::page(std::size_t number, const ColumnIndex& column, PageCache& cache,
                                std::size_t page_number) const {
    const Indexed& file = files_[number];
    return cache.get(std::uint64_t{number} << 32 | page_number, [&] {
        const SourceFile source(file.path);
        if (source.size() != file.bytes) {
            refuse(fmt::format("the file changed: it has {} bytes; it had {} when it was opened",
                               source.size(), file.bytes));
        }
        return std::make_shared<const Page>(column.read(
            source, page_number,
            [&](std::size_t dictionary) { return page(number, column, cache, dictionary); }));
    });
}

std::vector<std::byte> Images::read_by_path(std::size_t number, std::uint64_t row,
                                            std::uint64_t limit) const {
    const Indexed& file = files_[number];
    std::string path;
    if (file.paths) {
        const std::size_t place = file.paths->page_of(row);
        const PageCache::Pointer held = page(number, *file.paths, path_cache_, place);
        if (const auto text = (*held)[row - file.paths->first_row(place)])
            path.assign(reinterpret_cast<const char*>(text->data()), text->size());
    }
    if (path.empty()) refuse("there is no image: its bytes are null");
    const std::filesystem::path image = file.path.parent_path() / path;
    std::error_code problem;
    if (is_url(file.path) || !std::filesystem::is_regular_file(image, problem)) {
        refuse(
            fmt::format("there is no image: its bytes are null, and its path `{}` does not exist "
                        "next to the Parquet file",
                        shortened(path)));
    }
    return read_file(image, limit);
}

std::vector<std::byte> Images::read_as_stored(std::size_t number, std::uint64_t row,
                                              std::uint64_t limit) const {
    const ColumnIndex& column = files_[number].column;
    const std::size_t place = column.page_of(row);
    const PageCache::Pointer held = page(number, column, cache_, place);
    const auto bytes = (*held)[row - column.first_row(place)];
    if (!bytes) return read_by_path(number, row, limit);
    if (bytes->size() > limit)
        refuse(fmt::format("the image has {} bytes; the limit is {}", bytes->size(), limit));
    return std::vector<std::byte>(bytes->begin(), bytes->end());
}

std::vector<std::byte> Images::read(std::uint64_t row, std::uint64_t limit) const {
    return at_place([&] { return place_of(row); },
                    [&] {
                        const std::size_t number = file_of(row);
                        const Indexed& file = files_[number];
                        std::vector<std::byte> image =
                            read_as_stored(number, row - file.first_row, limit);
                        if (!file.turn) return image;
                        auto turned = turned_by_exif(image, limit);
                        return turned ? std::move(*turned) : image;
                    });
}

std::uint64_t Images::row_of(std::string_view name) const {
    const std::size_t slash = name.rfind('/');
    std::uint64_t row = 0;
    if (slash != std::string_view::npos && parse_number(name.substr(slash + 1), row)) {
        const auto file = by_name_.find(name.substr(0, slash));
        if (file != by_name_.end() && row < files_[file->second].column.rows())
            return files_[file->second].first_row + row;
    }
    refuse(fmt::format("no image is called `{}`: names are <file>/<row>", shortened(name)));
}

std::vector<std::byte> Images::read(std::string_view name, std::uint64_t limit) const {
    return read(row_of(name), limit);
}

bool Images::is_turned(std::string_view name) const {
    const std::uint64_t row = row_of(name);
    const std::size_t number = file_of(row);
    const Indexed& file = files_[number];
    if (!file.turn) return false;
    return at_place(
        [&] { return place_of(row); },
        [&] {
            return exif_orientation(read_as_stored(number, row - file.first_row, UINT64_MAX)) != 1;
        });
}

}  // namespace assay::parquet
