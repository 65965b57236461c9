// A Parquet file: its schema, and the positions of the values of some columns.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "containers/parquet/column_index.h"
#include "containers/parquet/footer.h"
#include "containers/source_file.h"

namespace assay::parquet {

class File {
public:
    /// Reads the footer. Throws bad_input: no Parquet file, truncated, damaged, encrypted; io.
    explicit File(const std::filesystem::path& path);

    const Footer& footer() const noexcept { return footer_; }
    const SourceFile& source() const noexcept { return source_; }
    /// Reads the page headers of the columns with these numbers.
    std::vector<ColumnIndex> index(std::span<const std::size_t> columns) const;

private:
    SourceFile source_;
    std::vector<std::byte> metadata_;
    Footer footer_;
};

}  // namespace assay::parquet
