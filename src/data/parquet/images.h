// The images of several files as one row of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
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
    /// Appends a file's images. `bytes`: the file's size when it was indexed.
    /// Throws bad_input: another one has its name.
    void add(const std::filesystem::path& path, std::uint64_t bytes, ColumnIndex column);

    std::uint64_t size() const noexcept { return rows_; }
    /// The bytes of image `row`, as they were encoded. One of a page that was read lately costs a
    /// copy, any other one the page (some megabytes as a rule). Throws bad_input, naming file, row
    /// and place: no image there, one of more than `limit` bytes, a damaged page, a file that is no
    /// longer as long as it was.
    std::vector<std::byte> read(std::uint64_t row, std::uint64_t limit) const;
    /// The image called "<file>/<row>".
    std::vector<std::byte> read(std::string_view name, std::uint64_t limit) const override;
    /// "val.parquet row 12".
    std::string place_of(std::uint64_t row) const;

private:
    struct Indexed {
        std::filesystem::path path;
        std::uint64_t bytes;
        std::uint64_t first_row;
        ColumnIndex column;
    };
    std::size_t file_of(std::uint64_t row) const;
    PageCache::Pointer page(std::size_t file, std::size_t page) const;

    std::vector<Indexed> files_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
    std::uint64_t rows_ = 0;
    mutable PageCache cache_{256U << 20};
};

}  // namespace assay::parquet
