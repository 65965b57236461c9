#include "metric/class_wise.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"
#include "collective/rank_part.h"
#include "core/parallel.h"
#include "metric/class_wise_kernel.h"
#include "metric/class_wise_parts.h"
#include "metric/class_wise_select.h"

namespace assay {
namespace {

using namespace detail;

// The items of each class as places in the columns.
struct ItemsByClass {
    std::vector<std::uint64_t> first;
    std::vector<std::uint64_t> place;
    std::vector<std::uint64_t> group_items;  ///< items with a target, per group
    std::uint64_t items = 0;
};

// Stores columns in huge pages if the system has them: otherwise, writing to many columns at once
// needs many pages.
class Scratch {
public:
    Scratch() = default;
    explicit Scratch(std::uint64_t floats) {
        constexpr std::size_t page = std::size_t{2} << 20;
        const std::size_t bytes =
            (static_cast<std::size_t>(floats) * sizeof(float) + page - 1) / page * page;
        memory_.reset(static_cast<float*>(std::aligned_alloc(page, bytes)));
        if (!memory_) throw std::bad_alloc();
        // this is only advice and may fail
        if (bytes > page) madvise(memory_.get(), bytes, MADV_HUGEPAGE);
    }
    float* get() const { return memory_.get(); }

private:
    struct Free {
        void operator()(float* memory) const { std::free(memory); }
    };
    std::unique_ptr<float[], Free> memory_;
};

class Engine {
public:
    Engine(const ProbabilityRows& rows, const ClassWiseOptions& options)
        : rows_(rows),
          options_(options),
          stretches_(static_cast<std::size_t>((rows.items() + group_stretch - 1) / group_stretch)),
          bins_(static_cast<std::size_t>(options.bins)) {
        places_ = places_of(rows.items());
        stride_ = stride_of(places_);
        result_ = empty_sums();
        if (options.keep_edges) result_.edges.resize(rows.classes());
    }

    ClassWiseSums run() {
        const std::uint32_t begin = options_.first_class;
        const std::uint32_t end = std::min(options_.last_class, rows_.classes());
        if (begin >= end || rows_.items() == 0) return std::move(result_);
        sort_items();
        nothing_.assign(rows_.classes(), 0.0F);
        if (rows_.direct() != ProbabilityRows::Direct::no) {
            for (std::size_t s = 0; s < stretches_; ++s) {
                direct_rows_.push_back(rows_by_place(rows_, s, group_places_[s], nothing_.data()));
            }
        }
        const std::uint64_t column_bytes = stride_ * sizeof(float);
        const std::uint64_t fitting =
            std::max<std::uint64_t>(16, options_.scratch_bytes / column_bytes / 16 * 16);
        const auto width =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(fitting, end - begin));
        columns_ = Scratch(stride_ * width);
        for (std::uint32_t c = begin; c < end; c += width) {
            throw_if_stopped();
            const std::uint32_t now = std::min(width, end - c);
            parallel_blocks(stretches_, options_.threads, [&](std::size_t s) {
                float* const out = columns_.get() + s * group_stretch;
                if (direct_rows_.empty())
                    return turn_stretch(rows_, s, group_places_[s], c, now, out, stride_);
                turn_rows(direct_rows_[s], rows_.direct() == ProbabilityRows::Direct::exponential,
                          c, now, out, stride_);
            });
            constexpr std::uint32_t batch = 8;
            parallel_blocks((now + batch - 1) / batch, options_.threads, [&](std::size_t b) {
                const auto from = static_cast<std::uint32_t>(b) * batch;
                work(c, from, std::min(from + batch, now));
            });
        }
        return std::move(result_);
    }

private:
    void sort_items() {
        const std::uint32_t classes = rows_.classes();
        by_class_.first.assign(classes + std::size_t{1}, 0);
        by_class_.group_items.assign(group_count, 0);
        for (std::uint64_t i = 0; i < rows_.items(); ++i) {
            if (const std::int32_t t = rows_.target(i); t >= 0)
                ++by_class_.first[static_cast<std::size_t>(t) + 1];
        }
        std::partial_sum(by_class_.first.begin(), by_class_.first.end(), by_class_.first.begin());
        by_class_.items = by_class_.first.back();
        by_class_.place.resize(static_cast<std::size_t>(by_class_.items));
        for (std::size_t s = 0; s < stretches_; ++s)
            group_places_.push_back(group_places(s, rows_.items()));
        std::vector<std::uint64_t> next(by_class_.first.begin(), by_class_.first.end() - 1);
        for (std::size_t s = 0; s < stretches_; ++s) {
            const auto& places = group_places_[s];
            const std::uint64_t begin = s * std::uint64_t{group_stretch};
            for (std::size_t j = 0; j < group_stretch && begin + j < rows_.items(); ++j) {
                const std::int32_t t = rows_.target(begin + j);
                if (t < 0) continue;
                by_class_.place[static_cast<std::size_t>(next[static_cast<std::size_t>(t)]++)] =
                    begin + places[j];
                ++by_class_.group_items[places[j] % group_count];
            }
        }
    }

    // The work for one class: its bins' sums of p - y, per group, then the errors with all items
    // and without each group.
    struct Work {
        Selection selection;
        std::vector<std::uint64_t> below, hits;
        std::vector<float> bounds;
        std::vector<std::int64_t> sums, exact;  // in quanta: by bin and group; by group and bin
        ClassWiseSums result;
    };

    void one_class(Work& w, std::uint32_t c, std::span<const float> column) {
        const std::uint64_t m = w.selection.count(column, places_ - by_class_.items);
        if (m == 0) return;
        const std::size_t stride = bins_ + 1;
        w.bounds.resize(bins_);
        w.below.resize(bins_);
        w.sums.resize(group_count * stride);
        w.selection.sums(column, edge_ranks(m, bins_), w.bounds, w.below, w.sums);
        w.hits.assign(stride, 0);
        w.exact.resize(group_count * stride);
        for (std::size_t b = 0; b < stride; ++b) {
            for (std::size_t g = 0; g < group_count; ++g)
                w.exact[g * stride + b] = w.sums[b * group_count + g];
        }
        for (std::uint64_t i = by_class_.first[c]; i < by_class_.first[c + std::size_t{1}]; ++i) {
            const std::uint64_t place = by_class_.place[static_cast<std::size_t>(i)];
            const float p = column[static_cast<std::size_t>(place)];
            if (!(p > 0)) continue;
            const auto bin =
                std::upper_bound(w.bounds.begin(), w.bounds.end(), p) - w.bounds.begin();
            w.exact[place % group_count * stride + static_cast<std::size_t>(bin)] -= std::int64_t{1}
                                                                                     << 40;
            ++w.hits[static_cast<std::size_t>(bin)];
        }
        w.below[bins_ - 1] = m - w.selection.ones();
        add_errors({w.exact, w.below, m}, by_class_.group_items, w.result);
        if (options_.keep_edges)
            result_.edges[c] = edges_of({w.exact, w.below, m}, w.bounds, w.hits);
    }

    void work(std::uint32_t block, std::uint32_t from, std::uint32_t to) {
        auto w = std::make_unique<Work>();
        w->result = empty_sums();
        for (std::uint32_t i = from; i < to; ++i) {
            one_class(*w, block + i,
                      {columns_.get() + i * stride_, static_cast<std::size_t>(places_)});
        }
        const std::lock_guard lock(mutex_);  // for integers, the order of the workers does
                                             // not matter
        add_sums(result_, w->result);
    }

    const ProbabilityRows& rows_;
    const ClassWiseOptions& options_;
    const std::size_t stretches_;
    const std::size_t bins_;
    std::uint64_t places_ = 0, stride_ = 0;
    std::vector<std::vector<std::uint16_t>> group_places_;  // by stretch
    ItemsByClass by_class_;
    std::vector<float> nothing_;                      // used as the row of a place without an item
    std::vector<std::vector<ScoreRow>> direct_rows_;  // by stretch and place
    Scratch columns_;
    std::mutex mutex_;
    ClassWiseSums result_;
};

// Each rank has the edges of its classes; afterwards, all ranks have those of all classes. `bins`
// is the largest number of bins per class.
void join_edges(std::vector<ClassEdges>& edges, std::size_t bins, Comm& comm) {
    // m, then bounds, confidence and members, class by class; -1 marks unused entries.
    const std::size_t row = 1 + 3 * bins;
    std::vector<double> flat;
    for (const ClassEdges& e : edges) {
        std::vector<double> one(row, -1);
        if (!e.members.empty()) {
            one[0] = static_cast<double>(e.m);
            const auto put = [&](const auto& numbers, std::size_t part) {
                std::copy(numbers.begin(), numbers.end(),
                          one.begin() + static_cast<std::ptrdiff_t>(1 + part * bins));
            };
            put(e.bounds, 0);
            put(e.confidence, 1);
            put(e.members, 2);
        }
        flat.insert(flat.end(), one.begin(), one.end());
    }
    for (const auto& part : all_gather<double>(comm, flat)) {
        for (std::size_t c = 0; c < edges.size(); ++c) {
            const auto at = part.begin() + static_cast<std::ptrdiff_t>(c * row);
            if (*at < 0) continue;
            const auto step = static_cast<std::ptrdiff_t>(bins);
            edges[c].m = static_cast<std::uint64_t>(*at);
            edges[c].bounds.assign(at + 1, at + step);
            edges[c].confidence.assign(at + 1 + step, at + 1 + 2 * step);
            edges[c].members.assign(at + 1 + 2 * step, at + 1 + 3 * step);
        }
    }
}

}  // namespace

ClassWiseSums class_wise_sums(const ProbabilityRows& rows, const ClassWiseOptions& options) {
    if (options.bins < 1 || options.bins > 100) {
        throw Error(ErrorCode::usage, fmt::format("{} bins; allowed: 1 to 100", options.bins));
    }
    // At least sixteen columns: with fewer, whole cache lines would be read for parts of them. If
    // even these do not fit, the rows are read four times with a fixed amount of memory per class.
    const std::uint64_t fewest = places_of(rows.items()) * 16 * sizeof(float);
    return fewest > options.columns_limit ? streamed_sums(rows, options, *self_comm())
                                          : Engine(rows, options).run();
}

ClassWiseSums class_wise_sums(const ProbabilityRows& rows, const ClassWiseOptions& options,
                              Comm& comm) {
    if (comm.size() == 1) return class_wise_sums(rows, options);
    const std::uint64_t bytes = rows.items() * rows.classes() * sizeof(float);
    if (bytes > options.row_shares_beyond) return streamed_sums(rows, options, comm);
    const RankPart classes = part_of_rank(rows.classes(), comm);
    ClassWiseOptions own = options;
    own.first_class = static_cast<std::uint32_t>(classes.begin);
    own.last_class = static_cast<std::uint32_t>(classes.end);
    ClassWiseSums result;
    agree(comm, [&] { result = class_wise_sums(rows, own); });
    comm.all_reduce(result.sums);
    comm.all_reduce(result.without);
    if (options.keep_edges) join_edges(result.edges, static_cast<std::size_t>(own.bins) + 1, comm);
    return result;
}

}  // namespace assay
