// The images of several files, numbered as one sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/image_archive.h"
#include "containers/parquet/column_index.h"
#include "containers/parquet/page_cache.h"

namespace assay::parquet {

/// Const functions may be called from many threads. Files are open only while a page is read, so
/// thousands of them are possible.
class Images final : public ImageArchive {
public:
    /// Appends a file's images. `bytes` is the file's size when it was indexed. `paths` has the
    /// path of each image whose bytes are null. `turn` rotates by EXIF data. Throws bad_input if
    /// another file has its name.
    void add(const std::filesystem::path& path, std::uint64_t bytes, ColumnIndex column,
             std::optional<ColumnIndex> paths, bool turn);

    std::uint64_t size() const noexcept { return rows_; }
    /// The encoded bytes of image `row`, or a PNG of the rotated image. Cost: a copy for an image
    /// in a recently read page; otherwise a read of the page (usually some megabytes). If the bytes
    /// are null, the image is the file at the row's path, next to the Parquet file. Throws
    /// bad_input, naming file, row and place: no image, more than `limit` bytes, a damaged page, a
    /// file whose length has changed.
    std::vector<std::byte> read(std::uint64_t row, std::uint64_t limit) const;
    /// The image with the name "<file>/<row>".
    std::vector<std::byte> read(std::string_view name, std::uint64_t limit) const override;
    bool is_turned(std::string_view name) const override;
    /// Returns text such as "val.parquet row 12".
    std::string place_of(std::uint64_t row) const;

private:
    struct Indexed {
        std::filesystem::path path;
        std::uint64_t bytes;
        std::uint64_t first_row;
        ColumnIndex column;
        std::optional<ColumnIndex> paths;
        bool turn;
    };
    std::size_t file_of(std::uint64_t row) const;
    std::uint64_t row_of(std::string_view name) const;
    /// A page of images or of paths, through `cache`.
    PageCache::Pointer page(std::size_t file, const ColumnIndex& column, PageCache& cache,
                            std::size_t page) const;
    std::vector<std::byte> read_as_stored(std::size_t file, std::uint64_t row,
                                          std::uint64_t limit) const;
    std::vector<std::byte> read_by_path(std::size_t file, std::uint64_t row,
                                        std::uint64_t limit) const;

    std::vector<Indexed> files_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
    std::uint64_t rows_ = 0;
    mutable PageCache cache_{256U << 20}, path_cache_{16U << 20};
};

}  // namespace assay::parquet
