// Iterates over the values of a column, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "containers/parquet/column_index.h"

namespace assay::parquet {

/// Holds one page and its dictionary at a time. The index and the file must outlive it.
class ColumnCursor {
public:
    ColumnCursor(const SourceFile& source, const ColumnIndex& column)
        : source_(source), column_(column) {}

    /// The bytes of the next row, valid until the next call, or nothing for a null. There must be a
    /// next row. Throws as ColumnIndex::read does.
    std::optional<std::span<const std::byte>> next();

private:
    const SourceFile& source_;
    const ColumnIndex& column_;
    std::size_t next_page_ = 0, at_ = 0;
    std::optional<Page> page_;
    std::size_t dictionary_page_ = SIZE_MAX;
    std::shared_ptr<const Page> dictionary_;
};

}  // namespace assay::parquet
