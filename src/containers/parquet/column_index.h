// The positions of a column's values in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "containers/parquet/data_page.h"
#include "containers/parquet/footer.h"
#include "containers/parquet/format.h"
#include "containers/source_file.h"

namespace assay::parquet {

/// All pages of a column, without their contents, in about 80 bytes each. Const functions may be
/// called from many threads.
class ColumnIndex {
public:
    /// Reads the page headers of chunk `which` of all row groups. Throws bad_input, naming row
    /// group, column and byte.
    ColumnIndex(const SourceFile& source, Column column, const std::vector<RowGroup>& groups,
                std::size_t which);

    std::uint64_t rows() const noexcept { return rows_; }
    std::size_t pages() const noexcept { return pages_.size(); }
    /// The page that contains `row`, and the number of the page's first row.
    std::size_t page_of(std::uint64_t row) const;
    std::uint64_t first_row(std::size_t page) const { return pages_.at(page).first_row; }
    std::uint64_t rows_of(std::size_t page) const;

    using ReadDictionary = std::function<std::shared_ptr<const Page>(std::size_t page)>;
    /// The contents of a page. If the page needs the dictionary of its chunk, `dictionary` is
    /// called with that page's number. Throws bad_input, naming row group, column and byte.
    Page read(const SourceFile& source, std::size_t page, const ReadDictionary& dictionary) const;

private:
    struct Place {
        std::uint64_t first_row = 0;
        std::uint64_t offset = 0;  ///< position in the file, after the header
        PageHeader header;
        std::uint32_t group = 0;
        std::uint32_t dictionary = none;
    };
    static constexpr std::uint32_t none = UINT32_MAX;

    void list_pages(const SourceFile& source, std::size_t group, const Chunk& chunk,
                    std::uint64_t rows);
    void add(const Place& place, std::uint64_t group_end);
    std::string place_of(std::size_t group) const;

    Column column_;
    std::vector<Codec> codecs_;  ///< the codec of each row group
    std::vector<Place> pages_;   ///< ordered by first rows; a dictionary comes before its
                                 ///< pages
    std::uint64_t rows_ = 0;
};

}  // namespace assay::parquet
