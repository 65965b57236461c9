// Reads page headers, whose length is not known in advance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "containers/parquet/format.h"
#include "containers/source_file.h"

namespace assay::parquet {

/// Reads some kilobytes at a time. The headers of small pages are close together, and of large
/// pages only the headers are read.
class HeaderWindow {
public:
    /// `end` is the end of the chunk. No header is read beyond it.
    HeaderWindow(const SourceFile& source, std::uint64_t end) : source_(source), end_(end) {}

    /// The header at byte `at`, and its size. Throws as parse_page_header does.
    std::pair<PageHeader, std::size_t> header_at(std::uint64_t at);

private:
    void fill(std::uint64_t at, std::size_t size);

    const SourceFile& source_;
    std::uint64_t end_;
    std::uint64_t begin_ = 0;
    std::vector<std::byte> bytes_;
};

}  // namespace assay::parquet
