#include "slices/search.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/statistics.h"
#include "slices/cluster_test.h"

namespace assay::slices {
namespace {

constexpr double screening_level = 0.1;
/// A value is only reported in addition to a selected pair if its other images are lower, too, at
/// this level in the first half.
constexpr double beyond_level = 0.05;

using HalfCounts = std::array<Counts, 2>;
using HalfTallies = std::array<ClusterTally, 2>;

/// A facet over the judged images, with the values that have enough of them. The last value stands
/// for all others.
struct JudgedFacet {
    std::vector<std::int32_t> of;
    std::vector<std::int32_t> value;  ///< value of the facet
    std::vector<HalfCounts> counts;
    // With clusters:
    ValuesInClusters clusters{};
    std::vector<HalfTallies> tallies{};  ///< of each value, against all images

    std::int32_t others() const { return static_cast<std::int32_t>(value.size()); }
};

void count_one(HalfCounts& counts, std::uint8_t code) {
    Counts& half = counts[code >> 1U];
    half.hits += code & 1U;
    ++half.images;
}

bool is_large(const HalfCounts& counts) {
    return counts[0].images >= fewest_slice_images && counts[1].images >= fewest_slice_images;
}
bool leaves_enough(const HalfCounts& part, const HalfCounts& whole) {
    return is_large({whole[0] - part[0], whole[1] - part[1]});
}

JudgedFacet judged_facet(const Facet& facet, const JudgedRows& judged) {
    std::vector<HalfCounts> all(facet.values.size());
    for (std::size_t i = 0; i < judged.rows.size(); ++i) {
        const std::int32_t value = facet.of[judged.rows[i]];
        if (value != Facet::none) count_one(all[static_cast<std::size_t>(value)], judged.code[i]);
    }
    JudgedFacet out;
    std::vector<std::int32_t> place(all.size(), Facet::none);
    for (std::size_t v = 0; v < all.size(); ++v) {
        if (!is_large(all[v])) continue;
        place[v] = out.others();
        out.value.push_back(static_cast<std::int32_t>(v));
        out.counts.push_back(all[v]);
    }
    out.of.reserve(judged.rows.size());
    for (const std::uint64_t row : judged.rows) {
        const std::int32_t value = facet.of[row];
        const std::int32_t at =
            value == Facet::none ? Facet::none : place[static_cast<std::size_t>(value)];
        out.of.push_back(at == Facet::none ? out.others() : at);
    }
    return out;
}

/// A slice that the first half may select.
struct Candidate {
    std::array<std::size_t, 2> facet{};
    std::array<std::int32_t, 2> place{};  ///< index in the judged facets
    std::size_t conditions = 1;
    HalfCounts own;
    double p = 1, screened = 1;
};
struct Tested {
    std::uint64_t tested = 0, few_clusters = 0;
    std::vector<Candidate> low;  ///< those with p at most screening_level
};

class Search {
public:
    Search(std::span<const Facet* const> facets, const JudgedRows& judged)
        : facets_(facets),
          judged_(judged),
          clustered_(!judged.cluster.empty()),
          lower_(judged.rows.size()) {
        for (const std::uint8_t code : judged.code) count_one(all_, code);
        for (const Facet* facet : facets) columns_.push_back(judged_facet(*facet, judged));
        if (clustered_) count_clusters();
    }

    Confirmed confirmed(double level, int threads) {
        Confirmed out;
        out.all = all_;
        const std::vector<Candidate> kept = beyond_pairs(selected(threads, out));
        out.selected = kept.size();
        std::vector<double> p;
        for (const Candidate& one : kept) p.push_back(p_of(one, 1));
        const std::vector<double> adjusted = holm(p);
        for (std::size_t i = 0; i < kept.size(); ++i) {
            // 1 - 0.9 is slightly less than 0.1.
            if (adjusted[i] > 1 - level + 1e-12) continue;
            ConfirmedSlice& slice = out.slices.emplace_back();
            for (std::size_t c = 0; c < kept[i].conditions; ++c) {
                const JudgedFacet& column = columns_[kept[i].facet[c]];
                slice.conditions.emplace_back(
                    kept[i].facet[c], column.value[static_cast<std::size_t>(kept[i].place[c])]);
            }
            slice.own = kept[i].own;
            slice.screened = kept[i].screened;
            slice.p = adjusted[i];
        }
        std::ranges::stable_sort(out.slices, {}, &ConfirmedSlice::p);
        return out;
    }

private:
    const HalfCounts& value_counts(const Candidate& one, std::size_t c) const {
        return columns_[one.facet[c]].counts[static_cast<std::size_t>(one.place[c])];
    }

    bool is_of_value(const Candidate& one, std::size_t c, std::size_t i) const {
        return columns_[one.facet[c]].of[i] == one.place[c];
    }
    bool is_in(const Candidate& one, std::size_t i) const {
        return is_of_value(one, 0, i) && (one.conditions == 1 || is_of_value(one, 1, i));
    }

    void count_clusters() {
        const std::vector<std::int32_t> same(judged_.code.size());
        clusters_ = {judged_.cluster, judged_.code, same, 1};
        for (std::size_t i = 0; i < judged_.code.size(); ++i)
            all_clusters_[judged_.code[i] >> 1U].add(judged_.cluster[i],
                                                     clusters_.of_image(i).images);
        for (JudgedFacet& column : columns_) {
            const std::size_t values = column.value.size() + 1;
            column.clusters = {judged_.cluster, judged_.code, column.of, values};
            column.tallies.resize(values);
            for (std::size_t i = 0; i < judged_.code.size(); ++i)
                column.tallies[static_cast<std::size_t>(column.of[i])][judged_.code[i] >> 1U].add(
                    judged_.cluster[i], clusters_.of_image(i).images);
        }
    }

    /// Of a slice among the images with a value, or among all.
    double effect_of(const Candidate& one, std::size_t half, const Counts& whole,
                     const ValuesInClusters& wholes, std::size_t value) const {
        const auto images_of = [&](std::size_t c) -> const std::vector<std::uint32_t>& {
            return columns_[one.facet[c]].clusters.images(static_cast<std::size_t>(one.place[c]),
                                                          half);
        };
        const bool second = one.conditions > 1 && images_of(1).size() < images_of(0).size();
        DesignEffect effect(one.own[half], whole, wholes.sums(value, half));
        for (const std::uint32_t i : images_of(second ? 1 : 0))
            if (is_in(one, i))
                effect.add_image(judged_.cluster[i], (judged_.code[i] & 1U) != 0,
                                 wholes.of_image(i));
        return effect.value();
    }

    /// Of the other images of a value, among all images that are not of the pair. In the first
    /// half.
    double effect_beyond(const Candidate& one, const Candidate& pair, const Counts& part,
                         const Counts& whole) const {
        DesignEffect effect(part, whole);
        const auto end = static_cast<std::size_t>(all_[0].images);
        for (std::size_t i = 0; i < end;) {
            const std::uint32_t cluster = judged_.cluster[i];
            Counts own, all;
            for (; i < end && judged_.cluster[i] == cluster; ++i) {
                if (is_in(pair, i)) continue;
                const std::uint64_t hit = judged_.code[i] & 1U, inside = is_in(one, i) ? 1 : 0;
                all = {all.hits + hit, all.images + 1};
                own = {own.hits + hit * inside, own.images + inside};
            }
            effect.add(own, all);
        }
        return effect.value();
    }

    /// p of `part` among `whole`. `effect_of` is not asked for a p above `most`, because clusters
    /// make none smaller.
    template <class EffectOf>
    double compare(const Counts& part, const Counts& whole, double most,
                   const EffectOf& effect_of) const {
        const double p = lower_(part, whole);
        if (!clustered_ || p > most || p >= 1) return p;
        const double effect = effect_of();
        return effect > 1 ? std::max(p, lower_with_effect(part, whole, effect)) : p;
    }

    /// Against all other images, and of a pair against the others of each value. Stops at the first
    /// p above `most`.
    double p_of(const Candidate& one, std::size_t half, double most = 1) const {
        double p = compare(one.own[half], all_[half], most,
                           [&] { return effect_of(one, half, all_[half], clusters_, 0); });
        for (std::size_t c = 0; c < one.conditions && one.conditions > 1 && p <= most; ++c) {
            const Counts& whole = value_counts(one, c)[half];
            p = std::max(p, compare(one.own[half], whole, most, [&] {
                             return effect_of(one, half, whole, columns_[one.facet[c]].clusters,
                                              static_cast<std::size_t>(one.place[c]));
                         }));
        }
        return p;
    }

    /// `few`: the slice has too few clusters, or the images that it is compared with have.
    void test(Candidate one, bool few, Tested& out) const {
        if (!is_large(one.own) || !leaves_enough(one.own, all_)) return;
        for (std::size_t c = 0; c < one.conditions && one.conditions > 1; ++c)
            if (!leaves_enough(one.own, value_counts(one, c))) return;
        if (few) {
            ++out.few_clusters;
            return;
        }
        ++out.tested;
        one.p = p_of(one, 0, screening_level);
        if (one.p <= screening_level) out.low.push_back(one);
    }

    Tested test_values(std::size_t f) const {
        Tested out;
        for (std::int32_t v = 0; v < columns_[f].others(); ++v)
            test({.facet = {f, 0},
                  .place = {v, 0},
                  .own = columns_[f].counts[static_cast<std::size_t>(v)]},
                 clustered_ &&
                     few_clusters(columns_[f].tallies[static_cast<std::size_t>(v)], all_clusters_),
                 out);
        return out;
    }

    static bool few_clusters(const HalfTallies& part, const HalfTallies& whole) {
        for (std::size_t half = 0; half < 2; ++half) {
            const std::uint32_t others = part[half].others(whole[half].clusters());
            if (std::min(part[half].clusters(), others) < fewest_slice_clusters) return true;
        }
        return false;
    }

    /// Of each pair of values of two facets, also of the last ones. Empty without clusters.
    std::vector<bool> pairs_with_few_clusters(const JudgedFacet& a, const JudgedFacet& b) const {
        if (!clustered_) return {};
        const std::size_t width = b.tallies.size();
        // Against all images, the others of the first value, and those of the second.
        std::vector<std::array<HalfTallies, 3>> cells(a.tallies.size() * width);
        for (std::size_t i = 0; i < judged_.code.size(); ++i) {
            auto& cell = cells[static_cast<std::size_t>(a.of[i]) * width +
                               static_cast<std::size_t>(b.of[i])];
            const std::size_t half = judged_.code[i] >> 1U;
            cell[0][half].add(judged_.cluster[i], clusters_.of_image(i).images);
            cell[1][half].add(judged_.cluster[i], a.clusters.of_image(i).images);
            cell[2][half].add(judged_.cluster[i], b.clusters.of_image(i).images);
        }
        std::vector<bool> few(cells.size());
        for (std::size_t c = 0; c < cells.size(); ++c)
            few[c] = few_clusters(cells[c][0], all_clusters_) ||
                     few_clusters(cells[c][1], a.tallies[c / width]) ||
                     few_clusters(cells[c][2], b.tallies[c % width]);
        return few;
    }

    Tested test_pairs(std::size_t f, std::size_t g) const {
        Tested out;
        const JudgedFacet &a = columns_[f], &b = columns_[g];
        const auto width = static_cast<std::size_t>(b.others()) + 1;
        std::vector<std::array<std::uint32_t, 4>> cells((a.value.size() + 1) * width);
        for (std::size_t i = 0; i < judged_.code.size(); ++i)
            ++cells[static_cast<std::size_t>(a.of[i]) * width + static_cast<std::size_t>(b.of[i])]
                   [judged_.code[i]];
        const std::vector<bool> few = pairs_with_few_clusters(a, b);
        for (std::int32_t v = 0; v < a.others(); ++v) {
            for (std::int32_t w = 0; w < b.others(); ++w) {
                const std::size_t at =
                    static_cast<std::size_t>(v) * width + static_cast<std::size_t>(w);
                const auto& cell = cells[at];
                const HalfCounts own = {Counts{cell[1], std::uint64_t{cell[0]} + cell[1]},
                                        Counts{cell[3], std::uint64_t{cell[2]} + cell[3]}};
                test({.facet = {f, g}, .place = {v, w}, .conditions = 2, .own = own},
                     clustered_ && few[at], out);
            }
        }
        return out;
    }

    bool makes_pairs(std::size_t f, std::size_t g) const {
        const Facet &one = *facets_[f], &two = *facets_[g];
        const auto by_definition = [](const Facet& a, const Facet& b) {
            return a.of_label && b.source == predicted_source;
        };
        return one.source != two.source && !by_definition(one, two) && !by_definition(two, one);
    }

    std::vector<Candidate> selected(int threads, Confirmed& out) const {
        std::vector<std::pair<std::size_t, std::size_t>> blocks;
        for (std::size_t f = 0; f < columns_.size(); ++f) blocks.emplace_back(f, f);
        for (std::size_t f = 0; f < columns_.size(); ++f)
            for (std::size_t g = f + 1; g < columns_.size(); ++g)
                if (makes_pairs(f, g)) blocks.emplace_back(f, g);
        std::vector<Tested> found(blocks.size());
        parallel_blocks(blocks.size(), resolve_threads(threads), [&](std::size_t block) {
            throw_if_stopped();
            const auto& pair = blocks[block];
            found[block] = pair.first == pair.second ? test_values(pair.first)
                                                     : test_pairs(pair.first, pair.second);
        });
        std::vector<Candidate> low;
        out.used.assign(columns_.size(), false);
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            out.few_clusters += found[b].few_clusters;
            if (found[b].tested == 0) continue;
            const auto& [f, g] = blocks[b];
            out.used[f] = out.used[g] = true;
            out.tested_pairs = out.tested_pairs || f != g;
            out.tested += found[b].tested;
            low.insert(low.end(), found[b].low.begin(), found[b].low.end());
        }
        // Others have a p above the level, so their exact value does not change the selection.
        std::vector<double> p(static_cast<std::size_t>(out.tested), 1.0);
        for (std::size_t i = 0; i < low.size(); ++i) p[i] = low[i].p;
        const std::vector<double> adjusted = benjamini_hochberg(p);
        for (std::size_t i = 0; i < low.size(); ++i) low[i].screened = adjusted[i];
        std::erase_if(low, [](const Candidate& one) { return one.screened > screening_level; });
        return low;
    }

    /// Removes values that are only low because of a selected pair.
    std::vector<Candidate> beyond_pairs(std::vector<Candidate> all) const {
        std::vector<Candidate> pairs;
        std::ranges::copy_if(all, std::back_inserter(pairs),
                             [](const Candidate& one) { return one.conditions == 2; });
        std::erase_if(all, [&](const Candidate& one) {
            if (one.conditions == 2) return false;
            const Counts rest = all_[0] - one.own[0];
            return std::ranges::any_of(pairs, [&](const Candidate& pair) {
                const bool inside =
                    (pair.facet[0] == one.facet[0] && pair.place[0] == one.place[0]) ||
                    (pair.facet[1] == one.facet[0] && pair.place[1] == one.place[0]);
                if (!inside) return false;
                const Counts others = one.own[0] - pair.own[0];
                const Counts whole = {others.hits + rest.hits, others.images + rest.images};
                return compare(others, whole, beyond_level, [&] {
                           return effect_beyond(one, pair, others, whole);
                       }) > beyond_level;
            });
        });
        return all;
    }

    std::span<const Facet* const> facets_;
    const JudgedRows& judged_;
    bool clustered_;
    LowerTest lower_;
    HalfCounts all_;
    ValuesInClusters clusters_;  ///< all images have one value
    HalfTallies all_clusters_;
    std::vector<JudgedFacet> columns_;
};

}  // namespace

LowerTest::LowerTest(std::uint64_t most) : log_factorial_(static_cast<std::size_t>(most) + 1) {
    for (std::size_t n = 1; n < log_factorial_.size(); ++n)
        log_factorial_[n] = log_factorial_[n - 1] + std::log(static_cast<double>(n));
}

double LowerTest::choose(std::uint64_t n, std::uint64_t k) const {
    return log_factorial_[n] - log_factorial_[k] - log_factorial_[n - k];
}

double LowerTest::operator()(const Counts& part, const Counts& whole) const {
    const Counts rest = whole - part;
    if (part.hits * rest.images >= rest.hits * part.images) return 1;
    const std::uint64_t misses = whole.images - whole.hits;
    double term = std::exp(choose(whole.hits, part.hits) + choose(misses, part.images - part.hits) -
                           choose(whole.images, part.images));
    double sum = term;
    // Below the mean, each term is smaller than the previous term.
    for (std::uint64_t x = part.hits; x > 0 && term > 1e-18 * sum; --x) {
        const std::uint64_t missed = part.images - x;
        if (missed >= misses) break;
        term *= static_cast<double>(x) * static_cast<double>(misses - missed) /
                (static_cast<double>(whole.hits - x + 1) * static_cast<double>(missed + 1));
        sum += term;
    }
    return std::min(1.0, sum);
}

Confirmed search_slices(std::span<const Facet* const> facets, const JudgedRows& judged,
                        double level, int threads) {
    return Search(facets, judged).confirmed(level, threads);
}

}  // namespace assay::slices
