// The images of several files as one row of them.
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
/// that thousands of them are no matter.
class Images final : public ImageArchive {
public:
    /// Appends a file's images. `bytes`: the file's size when it was indexed. `paths`: where an
    /// image is whose bytes are null. `turn`: by their EXIF data. Throws bad_input: another one has
    /// its name.
    void add(const std::filesystem::path& path, std::uint64_t bytes, ColumnIndex column,
             std::optional<ColumnIndex> paths, bool turn);

    std::uint64_t size() const noexcept { return rows_; }
    /// The bytes of image `row`, as they were encoded, or those of a PNG of the turned image. One
    /// of a page that was read lately costs a copy, any other one the page (some megabytes as a
    /// rule). Where the bytes are null, it is the file that the row's path names, beside the
    /// Parquet file. Throws bad_input, naming file, row and place: no image there, one of more than
    /// `limit` bytes, a damaged page, a file that is no longer as long as it was.
    std::vector<std::byte> read(std::uint64_t row, std::uint64_t limit) const;
    /// The image called "<file>/<row>".
    std::vector<std::byte> read(std::string_view name, std::uint64_t limit) const override;
    bool is_turned(std::string_view name) const override;
    /// "val.parquet row 12".
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
    /// Of the images, or of their paths; in `cache`.
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
