// The class-wise bins in four passes over the rows, for data sets whose columns do not fit. Three
// passes find the edges exactly, ten or so bits at a time, and one adds p - y. Memory: about 100
// KiB per class, for any number of items.
//
// Ranks share the rows. Only counts and exact sums are kept. They are added over the ranks after
// each pass, so that each rank reads only its own rows.
#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "collective/rank_part.h"
#include "metric/class_wise_kernel.h"
#include "metric/class_wise_parts.h"
#include "metric/column_sweep.h"

namespace assay::detail {
namespace {

// Splits the bits of a probability: 12 (with sign and exponent), 10, 10.
constexpr std::array<std::uint32_t, 3> level_bits = {12, 10, 10};
constexpr std::array<std::uint32_t, 3> level_shift = {20, 10, 0};

struct ClassState {
    std::uint64_t m = 0, ones = 0;
    std::vector<std::uint64_t> ranks, below;  // one entry per edge
    std::vector<std::uint32_t> prefix;        // known leading bits of each edge's value
    std::vector<std::uint32_t> tables;        // distinct prefixes, ascending
    std::vector<std::uint32_t> counts;        // counts for each of them, by the next bits
    std::vector<std::uint8_t> seen;  // level 1 keys of the edges: most values need no search
    std::vector<float> bounds;
    std::vector<double> sums;
    std::vector<std::int64_t> exact;
    std::vector<std::uint64_t> hits;  // by bin
};

class Stream {
public:
    Stream(const ProbabilityRows& rows, const ClassWiseOptions& options, Comm& comm)
        : rows_(rows),
          options_(options),
          comm_(comm),
          own_(part_of_rank(stretches_of(rows), comm)),
          begin_(options.first_class),
          end_(std::min(options.last_class, rows.classes())),
          bins_(static_cast<std::size_t>(options.bins)) {}

    ClassWiseSums run() {
        ClassWiseSums result = empty_sums();
        if (options_.keep_edges) result.edges.resize(rows_.classes());
        if (begin_ >= end_) return result;
        classes_.resize(end_ - begin_);
        for (std::size_t level = 0; level < level_bits.size(); ++level) {
            prepare(level);
            sweep([&](ClassState& cls, std::span<const float> x) { count(cls, x, level); });
            add_over_ranks([&](ClassState& cls, auto&& add) {
                for (std::uint32_t& number : cls.counts) add(number);
                if (level > 0) return;
                add(cls.m);
                add(cls.ones);
            });
            for (ClassState& cls : classes_) narrow(cls, level);
        }
        for (ClassState& cls : classes_) start_sums(cls);
        count_groups();
        sweep(
            [&](ClassState& cls, std::span<const float> x) {
                if (cls.m > 0) add_by_bin(x, cls.bounds, bins_ + 1, cls.sums.data());
            },
            true);
        for (ClassState& cls : classes_) flush(cls);
        add_over_ranks([](ClassState& cls, auto&& add) {
            for (std::int64_t& number : cls.exact) add(number);
            for (std::uint64_t& number : cls.hits) add(number);
        });
        for (ClassState& cls : classes_) {
            if (cls.m == 0) continue;
            add_errors({cls.exact, cls.below, cls.m}, group_items_, result);
            if (options_.keep_edges) {
                result.edges[begin_ + static_cast<std::size_t>(&cls - classes_.data())] =
                    edges_of({cls.exact, cls.below, cls.m}, cls.bounds, cls.hits);
            }
        }
        return result;
    }

private:
    // Calls numbers_of(class, add) for every class and replaces its numbers by the sums over the
    // ranks, some megabytes at a time.
    template <class NumbersOf>
    void add_over_ranks(NumbersOf&& numbers_of) {
        if (comm_.size() == 1) return;
        constexpr std::size_t together = std::size_t{1} << 19;
        std::vector<std::int64_t> numbers;
        for (auto from = classes_.begin(); from != classes_.end();) {
            auto to = from;
            for (; to != classes_.end() && numbers.size() < together; ++to)
                numbers_of(*to, [&](auto& x) { numbers.push_back(static_cast<std::int64_t>(x)); });
            comm_.all_reduce(numbers);
            auto next = numbers.cbegin();
            for (; from != to; ++from)
                numbers_of(*from, [&](auto& x) {
                    x = static_cast<std::remove_reference_t<decltype(x)>>(*next++);
                });
            numbers.clear();
        }
    }

    // Calls body(class, its probabilities in one stretch) for every class and stretch. Only one
    // thread at a time processes a class.
    template <class Body>
    void sweep(Body&& body, bool with_hits = false) {
        const auto work = [&](const ColumnTile& tile) {
            for (std::uint32_t c = tile.from; c < tile.to; ++c)
                body(classes_[c - begin_], tile.column(c));
            if (!with_hits) return;
            subtract_hits(tile);
            if (tile.stretch % exact_stretches != exact_stretches - 1) return;
            for (std::uint32_t c = tile.from; c < tile.to; ++c) flush(classes_[c - begin_]);
        };
        agree(comm_, [&] {
            sweep_columns(rows_, own_.begin, own_.end, begin_, end_, options_.threads, work);
        });
    }

    void prepare(std::size_t level) {
        for (ClassState& cls : classes_) {
            if (level == 0) cls.tables = {0};
            cls.counts.assign(cls.tables.size() << level_bits[level], 0);
        }
    }

    void count(ClassState& cls, std::span<const float> x, std::size_t level) const {
        const std::uint32_t mask = (1U << level_bits[level]) - 1;
        for (const float p : x) {
            if (!(p > 0)) continue;
            const auto bits = std::bit_cast<std::uint32_t>(p);
            std::size_t table = 0;
            if (level > 0) {
                if (cls.seen[bits >> level_shift[0]] == 0) continue;
                const std::uint32_t prefix = bits >> level_shift[level - 1];
                const auto found = std::lower_bound(cls.tables.begin(), cls.tables.end(), prefix);
                if (found == cls.tables.end() || *found != prefix) continue;
                table = static_cast<std::size_t>(found - cls.tables.begin());
            } else {
                cls.ones += p >= 1.0F ? 1 : 0;
                ++cls.m;
            }
            ++cls.counts[(table << level_bits[level]) + ((bits >> level_shift[level]) & mask)];
        }
    }

    // Determines ten more bits of every edge from the counts.
    void narrow(ClassState& cls, std::size_t level) const {
        if (cls.m == 0) return;
        if (level == 0) {
            cls.ranks = edge_ranks(cls.m, bins_);
            cls.below.assign(bins_ - 1, 0);
            cls.prefix.assign(bins_ - 1, 0);
        }
        for (std::size_t i = 0; i < cls.ranks.size(); ++i) {
            const auto table =
                std::lower_bound(cls.tables.begin(), cls.tables.end(), cls.prefix[i]) -
                cls.tables.begin();
            const std::uint32_t* const counts =
                cls.counts.data() + (static_cast<std::size_t>(table) << level_bits[level]);
            std::uint32_t digit = 0;
            while (cls.below[i] + counts[digit] <= cls.ranks[i]) cls.below[i] += counts[digit++];
            cls.prefix[i] = cls.prefix[i] << level_bits[level] | digit;
        }
        cls.tables = cls.prefix;
        cls.tables.erase(std::unique(cls.tables.begin(), cls.tables.end()), cls.tables.end());
        if (level == 0) {
            cls.seen.assign(std::size_t{1} << level_bits[0], 0);
            for (const std::uint32_t prefix : cls.tables) cls.seen[prefix] = 1;
        }
    }

    void start_sums(ClassState& cls) const {
        if (cls.m == 0) return;
        cls.bounds.clear();
        for (const std::uint32_t bits : cls.prefix)
            cls.bounds.push_back(std::bit_cast<float>(bits));
        cls.bounds.push_back(1.0F);
        cls.below.push_back(cls.m - cls.ones);
        cls.counts = {};
        cls.hits.assign(bins_ + 1, 0);
        cls.sums.assign(group_count * (bins_ + 1), 0);
        cls.exact.assign(group_count * (bins_ + 1), 0);
    }

    void count_groups() {
        group_items_.assign(group_count, 0);
        for (std::uint64_t first = 0; first < rows_.items(); first += group_stretch) {
            const auto places = group_places(first / group_stretch, rows_.items());
            for (std::size_t j = 0; j < group_stretch && first + j < rows_.items(); ++j) {
                if (rows_.target(first + j) >= 0) ++group_items_[places[j] % group_count];
            }
        }
    }

    void subtract_hits(const ColumnTile& tile) {
        for (std::size_t j = 0; j < tile.items; ++j) {
            const std::int32_t t = rows_.target(tile.first_item + j);
            if (t < static_cast<std::int32_t>(tile.from) || t >= static_cast<std::int32_t>(tile.to))
                continue;
            const auto c = static_cast<std::uint32_t>(t);
            const float p = tile.column(c)[tile.places[j]];
            if (!(p > 0)) continue;
            ClassState& cls = classes_[c - begin_];
            const auto bin =
                std::upper_bound(cls.bounds.begin(), cls.bounds.end(), p) - cls.bounds.begin();
            cls.exact[tile.places[j] % group_count * (bins_ + 1) + static_cast<std::size_t>(bin)] -=
                std::int64_t{1} << 40;
            ++cls.hits[static_cast<std::size_t>(bin)];
        }
    }

    static void flush(ClassState& cls) {
        for (std::size_t k = 0; k < cls.sums.size(); ++k) {
            cls.exact[k] += static_cast<std::int64_t>(cls.sums[k] * 0x1p40);
            cls.sums[k] = 0;
        }
    }

    const ProbabilityRows& rows_;
    const ClassWiseOptions& options_;
    Comm& comm_;
    const RankPart own_;  // stretches
    const std::uint32_t begin_, end_;
    const std::size_t bins_;
    std::vector<ClassState> classes_;
    std::vector<std::uint64_t> group_items_;
};

}  // namespace

ClassWiseSums streamed_sums(const ProbabilityRows& rows, const ClassWiseOptions& options,
                            Comm& comm) {
    return Stream(rows, options, comm).run();
}

}  // namespace assay::detail
