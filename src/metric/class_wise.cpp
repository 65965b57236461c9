#include "class_wise.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/parallel.h"
#include "class_wise_kernel.h"
#include "class_wise_parts.h"
#include "class_wise_select.h"

namespace assay {
namespace {

using namespace detail;

// Which items have the class, as places in the columns.
struct ItemsByClass {
    std::vector<std::uint64_t> first;
    std::vector<std::uint64_t> place;
    std::vector<std::uint64_t> group_items;  ///< items with a target, by group
    std::uint64_t items = 0;
};

class Engine {
public:
    Engine(const ProbabilityRows& rows, const ClassWiseOptions& options)
        : rows_(rows),
          options_(options),
          stretches_(static_cast<std::size_t>((rows.items() + group_stretch - 1) / group_stretch)),
          bins_(static_cast<std::size_t>(options.bins)) {
        places_ = places_of(rows.items());
        result_ = empty_sums();
        if (options.keep_edges) result_.edges.resize(rows.classes());
    }

    ClassWiseSums run() {
        const std::uint32_t begin = options_.first_class;
        const std::uint32_t end = std::min(options_.last_class, rows_.classes());
        if (begin >= end || rows_.items() == 0) return std::move(result_);
        sort_items();
        const std::uint64_t column_bytes = places_ * sizeof(float);
        const std::uint64_t fitting = std::max<std::uint64_t>(16, options_.scratch_bytes / column_bytes / 16 * 16);
        const auto width = static_cast<std::uint32_t>(std::min<std::uint64_t>(fitting, end - begin));
        columns_ = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(places_) * width);
        for (std::uint32_t c = begin; c < end; c += width) {
            throw_if_stopped();
            const std::uint32_t now = std::min(width, end - c);
            parallel_blocks(stretches_, options_.threads,
                            [&](std::size_t s) { turn_stretch(rows_, s, c, now, stretch_of(s, now)); });
            constexpr std::uint32_t batch = 8;
            parallel_blocks((now + batch - 1) / batch, options_.threads, [&](std::size_t b) {
                const auto from = static_cast<std::uint32_t>(b) * batch;
                work(c, from, std::min(from + batch, now), now);
            });
        }
        return std::move(result_);
    }

private:
    // Classes in the scratch: stretch by stretch, so that its place depends on the number of classes in the block.
    float* stretch_of(std::size_t s, std::uint32_t width) { return columns_.get() + s * group_stretch * width; }

    void sort_items() {
        const std::uint32_t classes = rows_.classes();
        by_class_.first.assign(classes + std::size_t{1}, 0);
        by_class_.group_items.assign(group_count, 0);
        for (std::uint64_t i = 0; i < rows_.items(); ++i) {
            if (const std::int32_t t = rows_.target(i); t >= 0) ++by_class_.first[static_cast<std::size_t>(t) + 1];
        }
        std::partial_sum(by_class_.first.begin(), by_class_.first.end(), by_class_.first.begin());
        by_class_.items = by_class_.first.back();
        by_class_.place.resize(static_cast<std::size_t>(by_class_.items));
        std::vector<std::uint64_t> next(by_class_.first.begin(), by_class_.first.end() - 1);
        for (std::size_t s = 0; s < stretches_; ++s) {
            const auto places = group_places(s, rows_.items());
            const std::uint64_t begin = s * std::uint64_t{group_stretch};
            for (std::size_t j = 0; j < group_stretch && begin + j < rows_.items(); ++j) {
                const std::int32_t t = rows_.target(begin + j);
                if (t < 0) continue;
                by_class_.place[static_cast<std::size_t>(next[static_cast<std::size_t>(t)]++)] = begin + places[j];
                ++by_class_.group_items[places[j] % group_count];
            }
        }
    }

    // One class: its bins' sums of p - y, by group, then the errors with all items and without each group.
    struct Work {
        Selection selection;
        std::vector<std::uint64_t> ranks, below, hits;
        std::vector<float> bounds;
        std::vector<double> sums;         // group_count x stride, exact in units of 2^-40
        std::vector<std::int64_t> exact;  // the same, flushed
        ClassWiseSums result;
    };

    void one_class(Work& w, std::uint32_t c, const Column& column) {
        const std::uint64_t m = w.selection.count(column);
        if (m == 0) return;
        w.ranks = edge_ranks(m, bins_);
        w.bounds.assign(bins_, 1.0F);
        w.below.assign(bins_, 0);
        w.selection.select(column, w.ranks, {w.bounds.data(), bins_ - 1}, {w.below.data(), bins_ - 1});

        const std::size_t stride = bins_ + 1;
        w.hits.assign(stride, 0);
        w.exact.assign(group_count * stride, 0);
        w.sums.assign(group_count * stride, 0.0);
        const auto flush = [&] {
            for (std::size_t k = 0; k < w.sums.size(); ++k) {
                w.exact[k] += static_cast<std::int64_t>(w.sums[k] * 0x1p40);
                w.sums[k] = 0;
            }
        };
        for (std::size_t s = 0; s < column.stretches(); ++s) {
            detail::add_by_bin(column.stretch(s), w.bounds, stride, w.sums.data());
            if (s % 256 == 255) flush();  // a double holds 2^13 ones exactly beside units of 2^-40
        }
        flush();
        for (std::uint64_t i = by_class_.first[c]; i < by_class_.first[c + std::size_t{1}]; ++i) {
            const std::uint64_t place = by_class_.place[static_cast<std::size_t>(i)];
            const float p = column.stretch(static_cast<std::size_t>(place / group_stretch))[place % group_stretch];
            if (!(p > 0)) continue;
            const auto bin = std::upper_bound(w.bounds.begin(), w.bounds.end(), p) - w.bounds.begin();
            w.exact[place % group_count * stride + static_cast<std::size_t>(bin)] -= std::int64_t{1} << 40;
            ++w.hits[static_cast<std::size_t>(bin)];
        }
        w.below[bins_ - 1] = m - w.selection.ones();
        add_errors({w.exact, w.below, m}, by_class_.group_items, w.result);
        if (options_.keep_edges) result_.edges[c] = edges_of({w.exact, w.below, m}, w.bounds, w.hits);
    }

    void work(std::uint32_t block, std::uint32_t from, std::uint32_t to, std::uint32_t width) {
        auto w = std::make_unique<Work>();
        w->result = empty_sums();
        for (std::uint32_t i = from; i < to; ++i) one_class(*w, block + i, {columns_.get(), width, i, places_});
        const std::lock_guard lock(mutex_);  // integers: the order of the workers does not matter
        add_sums(result_, w->result);
    }

    const ProbabilityRows& rows_;
    const ClassWiseOptions& options_;
    const std::size_t stretches_;
    const std::size_t bins_;
    std::uint64_t places_ = 0;
    ItemsByClass by_class_;
    std::unique_ptr<float[]> columns_;
    std::mutex mutex_;
    ClassWiseSums result_;
};

}  // namespace

ClassWiseSums class_wise_sums(const ProbabilityRows& rows, const ClassWiseOptions& options) {
    if (options.bins < 1 || options.bins > 100) {
        throw Error(ErrorCode::usage, fmt::format("{} bins; 1 to 100 are allowed", options.bins));
    }
    // Sixteen columns at least: fewer would read whole cache lines for parts of them. Where even these do not fit, the
    // rows are passed four times with a fixed amount of memory a class.
    const std::uint64_t least = places_of(rows.items()) * 16 * sizeof(float);
    return least > options.columns_limit ? streamed_sums(rows, options) : Engine(rows, options).run();
}

}  // namespace assay
