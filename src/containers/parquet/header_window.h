// Page headers in a file whose length nobody says beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "containers/parquet/format.h"
#include "containers/source_file.h"

namespace assay::parquet {

/// Reads some kilobytes at a time: the headers of small pages lie next to one another, those of
/// large pages are all that is read of them.
class HeaderWindow {
public:
    /// `end`: of the chunk, behind which no header is read.
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
