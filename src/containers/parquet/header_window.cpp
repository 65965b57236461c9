#include "containers/parquet/header_window.h"

#include <algorithm>
#include <span>

#include "assay/error.h"
#include "containers/parquet/page_header.h"

namespace assay::parquet {
namespace {

constexpr std::size_t usual_window = 4096;
/// Headers contain the smallest and the largest value, which may be long texts.
constexpr std::size_t largest_window = 1U << 24;

}  // namespace

void HeaderWindow::fill(std::uint64_t at, std::size_t size) {
    bytes_.resize(std::min<std::uint64_t>(size, end_ - at));
    begin_ = at;
    source_.read(at, bytes_);
}

std::pair<PageHeader, std::size_t> HeaderWindow::header_at(std::uint64_t at) {
    const auto parse = [&] { return parse_page_header(std::span(bytes_).subspan(at - begin_)); };
    const bool held = at >= begin_ && at - begin_ < bytes_.size();
    if (!held) fill(at, usual_window);
    for (std::size_t size = usual_window;; size *= 16) {
        try {
            return parse();
        } catch (const Error&) {
            // The header is damaged, or the window cuts it off. A larger window shows which.
            const bool all = begin_ + bytes_.size() == end_;
            if (all || size > largest_window) throw;
        }
        fill(at, size);
    }
}

}  // namespace assay::parquet
