#include "class_wise.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <mutex>
#include <numeric>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/parallel.h"
#include "class_wise_kernel.h"
#include "real_sum.h"

namespace assay {
namespace {

constexpr std::uint32_t key_shift = 19;   // exponent and 4 bits of the mantissa: values in one key differ by 6 % at most
constexpr std::size_t keys = 2048;        // 1.0 has key 2032

std::uint32_t key_of(float p) { return std::bit_cast<std::uint32_t>(p) >> key_shift; }

// One class's probabilities: a stretch after another, each of group_stretch places (the last one shorter, a multiple of
// group_count). Places without an item hold zeros, which the definition drops anyway.
struct Column {
    const float* columns;
    std::size_t width, index;
    std::uint64_t places;

    std::size_t stretches() const { return static_cast<std::size_t>((places + group_stretch - 1) / group_stretch); }
    std::span<const float> stretch(std::size_t s) const {
        const std::uint64_t begin = s * std::uint64_t{group_stretch};
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(group_stretch, places - begin));
        return {columns + static_cast<std::size_t>(begin) * width + index * count, count};
    }
};

// The order statistics at ranks (ascending) of the column's positive values.
class Selection {
public:
    std::uint64_t count(const Column& column) {
        for (auto& table : counts_) table.fill(0);
        std::uint64_t zeros = 0;
        for (std::size_t s = 0; s < column.stretches(); ++s) {
            const auto x = column.stretch(s);
            for (std::size_t i = 0; i < x.size(); i += 4) {  // four tables: equal neighbours do not wait for one another
                ++counts_[0][key_of(x[i])];
                ++counts_[1][key_of(x[i + 1])];
                ++counts_[2][key_of(x[i + 2])];
                ++counts_[3][key_of(x[i + 3])];
            }
        }
        for (std::size_t k = 0; k < keys; ++k) counts_[0][k] += counts_[1][k] + counts_[2][k] + counts_[3][k];
        if (counts_[0][0] != 0) {  // the smallest key holds zeros (dropped) and subnormal numbers (not dropped)
            for (std::size_t s = 0; s < column.stretches(); ++s) {
                for (const float p : column.stretch(s)) zeros += p == 0 ? 1 : 0;
            }
            counts_[0][0] -= static_cast<std::uint32_t>(zeros);
        }
        return std::accumulate(counts_[0].begin(), counts_[0].end(), std::uint64_t{0});
    }

    /// Values of exactly 1: probabilities end there, so that their key holds nothing else.
    std::uint64_t ones() const { return counts_[0][key_of(1.0F)]; }

    // After count(). `below[i]` receives the number of positive values below the i-th result.
    void select(const Column& column, std::span<const std::uint64_t> ranks, std::span<float> out,
                std::span<std::uint64_t> below) {
        wanted_.fill(0);
        std::uint64_t before = 0, total = 0;
        std::size_t key = 0;
        slots_.clear();
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            while (before + counts_[0][key] <= ranks[i]) before += counts_[0][key++];
            if (wanted_[key] != 0) continue;
            slots_.push_back({key, before, total});
            total += counts_[0][key];
            wanted_[key] = static_cast<std::uint8_t>(slots_.size());
        }
        collect(column);
        // From one heap of wanted values to one for each key.
        values_.resize(static_cast<std::size_t>(total));
        next_.clear();
        for (const Slot& slot : slots_) next_.push_back(slot.first);
        for (std::size_t i = 0; i < found_; ++i) {
            const float p = collected_[i];
            if (p > 0) values_[static_cast<std::size_t>(next_[wanted_[key_of(p)] - 1U]++)] = p;
        }
        std::size_t s = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            while (ranks[i] >= slots_[s].before + counts_[0][slots_[s].key]) ++s;
            const auto first = static_cast<std::size_t>(slots_[s].first);
            const std::span<float> values(values_.data() + first, counts_[0][slots_[s].key]);
            std::uint64_t less = 0;
            out[i] = nth(values, ranks[i] - slots_[s].before, less);
            below[i] = slots_[s].before + less;
        }
    }

private:
    struct Slot {
        std::size_t key;
        std::uint64_t before;  // values in smaller keys
        std::uint64_t first;   // of its values in values_
    };

    // The value of one rank among values of one key, and how many are less: by the next 8 bits, then among the few left.
    float nth(std::span<const float> values, std::uint64_t rank, std::uint64_t& less) {
        constexpr std::uint32_t shift = key_shift - 8;
        const auto digit = [](float p) { return (std::bit_cast<std::uint32_t>(p) >> shift) & 0xFFU; };
        std::array<std::uint32_t, 256> counts{};
        for (const float p : values) ++counts[digit(p)];
        std::uint32_t wanted = 0;
        while (less + counts[wanted] <= rank) less += counts[wanted++];
        few_.clear();
        for (const float p : values) {
            if (digit(p) == wanted) few_.push_back(p);
        }
        const auto at = few_.begin() + static_cast<std::ptrdiff_t>(rank - less);
        std::nth_element(few_.begin(), at, few_.end());
        const float found = *at;
        less += static_cast<std::uint64_t>(std::count_if(few_.begin(), at, [found](float p) { return p < found; }));
        return found;
    }

    // Every value whose key is wanted; zeros may be among them. No branch depends on the data: an unwanted value is
    // overwritten by the next one.
    void collect(const Column& column) {
        collected_.resize(static_cast<std::size_t>(column.places) + 1);
        float* const out = collected_.data();
        std::size_t n = 0;
        for (std::size_t s = 0; s < column.stretches(); ++s) {
            for (const float p : column.stretch(s)) {
                out[n] = p;
                n += wanted_[key_of(p)] != 0 ? 1 : 0;
            }
        }
        found_ = n;
    }

    std::array<std::array<std::uint32_t, keys>, 4> counts_;
    std::array<std::uint8_t, keys> wanted_;  // 0: no; else its slot + 1 (at most 100 bins)
    std::vector<Slot> slots_;
    std::vector<std::uint64_t> next_;
    std::vector<float> collected_, values_, few_;
    std::size_t found_ = 0;
};

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
        const std::uint64_t last = rows.items() % group_stretch;
        places_ = rows.items() - last + (last + group_count - 1) / group_count * group_count;
        result_.sums.assign(2 * real_slots, 0);
        result_.without.assign(std::size_t{2} * group_count * real_slots, 0);
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
            parallel_blocks(stretches_, options_.threads, [&](std::size_t s) { fill(s, c, now); });
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
    std::size_t places_in(std::size_t s) const {
        return static_cast<std::size_t>(std::min<std::uint64_t>(group_stretch, places_ - s * std::uint64_t{group_stretch}));
    }

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

    void fill(std::size_t s, std::uint32_t begin, std::uint32_t width) {
        const std::uint64_t first = s * std::uint64_t{group_stretch};
        const auto items = static_cast<std::uint32_t>(std::min<std::uint64_t>(group_stretch, rows_.items() - first));
        const auto places = group_places(s, rows_.items());
        const std::size_t count = places_in(s);
        // A slice of the classes at a time keeps the rows being turned in the second-level cache.
        const std::uint32_t slice = std::min(width, rows_.slice());
        std::vector<float> scratch(std::size_t{items} * slice);
        std::vector<float> nothing(slice, 0.0F);
        std::vector<const float*> row(count);
        for (std::uint32_t c = 0; c < width; c += slice) {
            const std::uint32_t now = std::min(slice, width - c);
            rows_.read(first, items, begin + c, begin + c + now, scratch.data());
            std::fill(row.begin(), row.end(), nothing.data());
            for (std::size_t j = 0; j < items; ++j) row[places[j]] = scratch.data() + j * now;
            for (std::size_t j = 0; j < count; j += 8) {
                detail::transpose8(row.data() + j, now, stretch_of(s, width) + c * count + j, count);
            }
        }
    }

    // One class: its bins' sums of p - y, by group, then the errors with all items and without each group.
    struct Work {
        Selection selection;
        std::vector<std::uint64_t> ranks, below;
        std::vector<float> bounds;
        std::vector<double> sums;            // group_count x stride, exact in units of 2^-40
        std::vector<std::int64_t> exact;     // the same, flushed
        ClassWiseSums result;
    };

    void one_class(Work& w, std::uint32_t c, const Column& column) const {
        const std::uint64_t m = w.selection.count(column);
        if (m == 0) return;
        const auto total = static_cast<double>(m);
        w.ranks.clear();
        for (std::size_t i = 1; i < bins_; ++i) {
            const double position = static_cast<double>(i) * total / static_cast<double>(bins_);
            w.ranks.push_back(std::min<std::uint64_t>(static_cast<std::uint64_t>(std::nearbyint(position)), m - 1));
        }
        w.bounds.assign(bins_, 1.0F);
        w.below.assign(bins_, 0);
        w.selection.select(column, w.ranks, {w.bounds.data(), bins_ - 1}, {w.below.data(), bins_ - 1});

        const std::size_t stride = bins_ + 1;
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
        }
        w.below[bins_ - 1] = m - w.selection.ones();
        add_errors(w, total);
    }

    void add_errors(Work& w, double m) const {
        const std::size_t stride = bins_ + 1;
        std::vector<std::int64_t> all(stride, 0);
        for (std::size_t g = 0; g < group_count; ++g) {
            for (std::size_t b = 0; b < stride; ++b) all[b] += w.exact[g * stride + b];
        }
        const auto members = [&](std::size_t b) {  // of bin b, from the numbers of values below the bounds
            const std::uint64_t upper = b < bins_ ? w.below[b] : static_cast<std::uint64_t>(m);
            return static_cast<double>(upper - (b == 0 ? 0 : w.below[b - 1]));
        };
        std::vector<double> inverse(stride);
        for (std::size_t b = 0; b < stride; ++b) inverse[b] = members(b) > 0 ? 1 / members(b) : 0;
        double weighted = 0, equal = 0;
        for (std::size_t b = 0; b < stride; ++b) {
            const double gap = std::abs(static_cast<double>(all[b])) * 0x1p-40;
            weighted += gap;
            equal += gap * inverse[b];
        }
        add_real(w.result.sums.data(), weighted / m);
        add_real(w.result.sums.data() + real_slots, equal / static_cast<double>(bins_));
        for (std::size_t g = 0; g < group_count; ++g) {
            if (by_class_.group_items[g] == 0) continue;
            // Without a group, m and the bins' sizes shrink by the group's share of the items: exact counts are not worth a pass.
            const double left = 1 - static_cast<double>(by_class_.group_items[g]) / static_cast<double>(by_class_.items);
            if (left <= 0) continue;
            double part = 0, part_equal = 0;
            for (std::size_t b = 0; b < stride; ++b) {
                const double gap = std::abs(static_cast<double>(all[b] - w.exact[g * stride + b])) * 0x1p-40;
                part += gap;
                part_equal += gap * inverse[b];
            }
            std::int64_t* const to = w.result.without.data() + g * 2 * real_slots;
            add_real(to, part / (m * left));
            add_real(to + real_slots, part_equal / (static_cast<double>(bins_) * left));
        }
    }

    void work(std::uint32_t block, std::uint32_t from, std::uint32_t to, std::uint32_t width) {
        auto w = std::make_unique<Work>();
        w->result.sums.assign(result_.sums.size(), 0);
        w->result.without.assign(result_.without.size(), 0);
        for (std::uint32_t i = from; i < to; ++i) one_class(*w, block + i, {columns_.get(), width, i, places_});
        const std::lock_guard lock(mutex_);  // integers: the order of the workers does not matter
        for (std::size_t k = 0; k < result_.sums.size(); ++k) result_.sums[k] += w->result.sums[k];
        for (std::size_t k = 0; k < result_.without.size(); ++k) result_.without[k] += w->result.without[k];
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

std::uint64_t class_wise_least_scratch(std::uint64_t items) { return items * 16 * sizeof(float); }

ClassWiseSums class_wise_sums(const ProbabilityRows& rows, const ClassWiseOptions& options) {
    if (options.bins < 1 || options.bins > 100) {
        throw Error(ErrorCode::usage, fmt::format("{} bins; 1 to 100 are allowed", options.bins));
    }
    return Engine(rows, options).run();
}

}  // namespace assay
