#include "evaluate/group_hits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "assay/evaluate/group_accuracy.h"
#include "assay/metric/metric.h"
#include "core/proportion_bound.h"
#include "core/statistics.h"
#include "evaluate/cluster_interval.h"
#include "evaluate/statements/noise.h"
#include "evaluate/statements/places.h"
#include "metric/item_groups.h"

namespace assay::evaluate {
namespace {

constexpr std::size_t draws = 1000;
constexpr std::size_t blocks = group_count;

double share(std::uint64_t part, std::uint64_t all) {
    return static_cast<double>(part) / static_cast<double>(all);
}

/// The bounds of Clopper and Pearson, each with this tail probability.
Interval exact_bounds(double accuracy, double size, double tail) {
    Interval bounds;
    bounds.low = 1 - upper_bound_of_proportion((1 - accuracy) * size, size, tail);
    bounds.high = upper_bound_of_proportion(accuracy * size, size, tail);
    return bounds;
}

/// The images and hits of a cluster in a group.
struct PartOfCluster {
    std::uint64_t key = 0;  // the group, then the cluster
    std::uint64_t images = 0, hits = 0;
};

/// Sorts the parts, and adds up those with the same key.
std::vector<PartOfCluster> joined(std::vector<PartOfCluster> parts) {
    std::ranges::sort(parts, {}, &PartOfCluster::key);
    std::vector<PartOfCluster> out;
    for (const PartOfCluster& one : parts) {
        if (out.empty() || out.back().key != one.key) {
            out.push_back(one);
        } else {
            out.back().images += one.images;
            out.back().hits += one.hits;
        }
    }
    return out;
}

/// The parts of all clusters in all groups of a column, by group.
std::vector<PartOfCluster> parts_of(const GroupedHits& images, const GroupedHits::Column& column) {
    std::vector<PartOfCluster> single;
    for (std::size_t i = 0; i < images.hit.size(); ++i) {
        if (images.hit[i] == 2 || column.of[i] < 0) continue;
        single.push_back({static_cast<std::uint64_t>(column.of[i]) << 32U | images.cluster[i], 1,
                          images.hit[i]});
    }
    return joined(std::move(single));
}

/// The number of independent images that carry as much information as these clusters; at most
/// `images`.
double size_of(std::span<const PartOfCluster> parts, std::uint64_t images, std::uint64_t hits,
               double level) {
    const auto n = static_cast<double>(images), count = static_cast<double>(parts.size());
    if (parts.size() < 2) return 1;
    const double p = share(hits, images), spread = p * (1 - p);
    double squares = 0, residuals = 0;
    for (const PartOfCluster& part : parts) {
        const auto m = static_cast<double>(part.images);
        const double residual = static_cast<double>(part.hits) - m * p;
        squares += m * m;
        residuals += residual * residual;
    }
    const double all_alike = squares / n;  // design effect if all images of a cluster are alike
    const double found = spread > 0 ? residuals * count / (count - 1) / (n * spread) : all_alike;
    const double errors = static_cast<double>(std::min(hits, images - hits));
    const double effect = std::min(all_alike, mixed_effect(found, all_alike, errors));
    const double z = normal_quantile(0.5 + level / 2),
                 t = student_t_quantile(0.5 + level / 2, count - 1);
    return n / effect * (z * z) / (t * t);
}

/// Images and hits of each group by block; the draws resample blocks.
struct BlockCounts {
    std::vector<std::uint32_t> images, hits;  // indexed by block * groups + group
};

class Tally {
public:
    Tally(const GroupedHits& images, double level, std::uint64_t seed)
        : images_(images),
          level_(level),
          seed_(seed),
          z_(normal_quantile(0.5 + level / 2)),
          clustered_(!images.cluster.empty()) {
        out_.groups.resize(images.groups);
        columns_.resize(images.columns.size());
    }

    /// Computes everything except comparisons of groups.
    const std::vector<HitsOfGroup>& groups() {
        count();
        for (std::size_t c = 0; c < columns_.size(); ++c) set_sizes(c);
        for (HitsOfGroup& group : out_.groups) {
            group.candidate = group.images >= fewest_group_images &&
                              (!clustered_ || group.clusters >= fewest_group_clusters);
            if (!group.candidate) continue;
            group.interval = wilson_of_size(share(group.hits, group.images), group.size, z_, level_,
                                            clustered_ ? "wilson.clusters" : "wilson");
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const auto first = static_cast<std::size_t>(images_.columns[c].first);
            for (std::size_t g = first; g < first + images_.columns[c].groups; ++g)
                out_.groups[g].others = columns_[c].images - out_.groups[g].images;
        }
        return out_.groups;
    }

    LowestOfGroups run() {
        groups();
        add_lowest();
        add_differences();
        return std::move(out_);
    }

private:
    struct OfColumn {
        std::uint64_t images = 0, hits = 0;
        double effect = 1;  // number of images per independent image
        std::array<std::uint64_t, blocks> block_images = {}, block_hits = {};
    };

    void count() {
        const std::vector<std::uint8_t> block =
            groups_of_items(clustered_ ? images_.clusters : images_.hit.size());
        counts_.images.assign(blocks * images_.groups, 0);
        counts_.hits.assign(blocks * images_.groups, 0);
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const GroupedHits::Column& column = images_.columns[c];
            for (std::size_t i = 0; i < images_.hit.size(); ++i) {
                if (images_.hit[i] == 2 || column.of[i] < 0) continue;
                const auto group = static_cast<std::size_t>(column.of[i]);
                const std::size_t b = block[clustered_ ? images_.cluster[i] : i];
                const std::size_t at = b * images_.groups + group;
                ++counts_.images[at];
                counts_.hits[at] += images_.hit[i];
                ++out_.groups[group].images;
                out_.groups[group].hits += images_.hit[i];
                ++columns_[c].images;
                columns_[c].hits += images_.hit[i];
                ++columns_[c].block_images[b];
                columns_[c].block_hits[b] += images_.hit[i];
            }
        }
    }

    void set_sizes(std::size_t c) {
        const GroupedHits::Column& column = images_.columns[c];
        const auto first = static_cast<std::size_t>(column.first);
        if (!clustered_) {
            for (std::size_t g = first; g < first + column.groups; ++g)
                out_.groups[g].size = static_cast<double>(out_.groups[g].images);
            return;
        }
        const std::vector<PartOfCluster> parts = parts_of(images_, column);
        for (std::size_t begin = 0; begin < parts.size();) {
            const std::uint64_t g = parts[begin].key >> 32U;
            std::size_t end = begin;
            while (end < parts.size() && parts[end].key >> 32U == g) ++end;
            HitsOfGroup& group = out_.groups[static_cast<std::size_t>(g)];
            group.clusters = end - begin;
            group.size = size_of(std::span(parts).subspan(begin, end - begin), group.images,
                                 group.hits, level_);
            begin = end;
        }
        // The other images of a group's column, with the design effect of the whole column.
        std::vector<PartOfCluster> whole = parts;
        for (PartOfCluster& part : whole) part.key &= 0xffffffffU;
        whole = joined(std::move(whole));
        // A cluster counts for the other images unless all of its images are in the group.
        for (std::size_t g = first; g < first + column.groups; ++g)
            out_.groups[g].others_clusters = whole.size();
        for (const PartOfCluster& part : parts) {
            const auto of_cluster =
                std::ranges::lower_bound(whole, part.key & 0xffffffffU, {}, &PartOfCluster::key);
            if (of_cluster->images == part.images)
                --out_.groups[static_cast<std::size_t>(part.key >> 32U)].others_clusters;
        }
        if (columns_[c].images > 0)
            columns_[c].effect = static_cast<double>(columns_[c].images) /
                                 size_of(whole, columns_[c].images, columns_[c].hits, level_);
    }

    /// The influence of each block on `width` values.
    template <class Influence>
    statements::Matrix influences(std::size_t width, Influence&& influence) const {
        statements::Matrix rows(blocks, width);
        const double scale = std::sqrt(double{blocks} / (blocks - 1));
        for (std::size_t b = 0; b < blocks; ++b) {
            for (std::size_t k = 0; k < width; ++k) rows.row(b)[k] = scale * influence(b, k);
        }
        return rows;
    }

    double residual(std::size_t block, std::size_t group, double accuracy) const {
        const std::size_t at = block * images_.groups + group;
        return static_cast<double>(counts_.hits[at]) -
               accuracy * static_cast<double>(counts_.images[at]);
    }

    void add_lowest() {
        std::vector<std::size_t> chosen;
        std::vector<double> error_rates, errors;
        for (std::size_t g = 0; g < out_.groups.size(); ++g) {
            const HitsOfGroup& group = out_.groups[g];
            if (!group.candidate) continue;
            const double p = share(group.hits, group.images);
            chosen.push_back(g);
            error_rates.push_back(1 - p);
            errors.push_back(statements::wilson_error(p, group.size, z_));
        }
        if (chosen.empty()) return;
        const bool joint = clustered_ || images_.columns.size() > 1;
        statements::Factor factor(chosen.size());
        factor.own = errors;
        if (joint) {
            factor = statements::rescaled(
                statements::Factor(
                    influences(chosen.size(),
                               [&](std::size_t b, std::size_t k) {
                                   return residual(b, chosen[k], 1 - error_rates[k]) /
                                          static_cast<double>(out_.groups[chosen[k]].images);
                               })),
                errors);
        }
        const statements::Matrix drawn = statements::draws_of(factor, draws, seed_);
        const double alpha = 1 - level_;
        double tail = alpha / (2 * static_cast<double>(chosen.size()));
        if (joint) {
            const double largest = largest_error(drawn, errors, false, 1 - alpha / 2);
            tail = std::max(tail, normal_cdf(-largest));
        }
        const statements::Best best = statements::best_of(error_rates, factor, drawn, 0, level_);
        double low = 1, high = 1;
        for (std::size_t k = 0; k < chosen.size(); ++k) {
            const HitsOfGroup& group = out_.groups[chosen[k]];
            low = std::min(low, group.interval->low);
            high = std::min(high, upper_bound_of_proportion((1 - error_rates[k]) * group.size,
                                                            group.size, tail));
        }
        out_.lowest = chosen[best.model];
        out_.interval = {low, high, level_, joint ? "worst.joint" : "worst"};
        // The lowest true accuracy is at most the mean, which has no selection bias.
        std::uint64_t images = 0, hits = 0;
        for (const std::size_t g : chosen) {
            images += out_.groups[g].images;
            hits += out_.groups[g].hits;
        }
        out_.value = std::clamp(std::min(1 - best.range.value, share(hits, images)), low, high);
    }

    /// The quantile `p` of the largest error in a draw, in standard errors.
    static double largest_error(const statements::Matrix& drawn, std::span<const double> errors,
                                bool either_sign, double p) {
        std::vector<double> largest(drawn.rows, 0);
        for (std::size_t b = 0; b < drawn.rows; ++b) {
            const std::span<const double> row = drawn.row(b);
            for (std::size_t k = 0; k < errors.size(); ++k) {
                const double size = either_sign ? std::abs(row[k]) : row[k];
                largest[b] = std::max(largest[b], size / errors[k]);
            }
        }
        return statements::quantile_of(std::move(largest), p);
    }

    /// A group, and the other images of its column.
    struct Contrast {
        std::size_t group, column;
        double accuracy, others, size, others_size, others_images;
    };

    void add_differences() {
        std::vector<Contrast> contrasts;
        std::vector<double> errors;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const auto first = static_cast<std::size_t>(images_.columns[c].first);
            for (std::size_t g = first; g < first + images_.columns[c].groups; ++g) {
                const HitsOfGroup& group = out_.groups[g];
                const std::uint64_t others = group.others;
                if (!group.candidate || others < fewest_group_images ||
                    (clustered_ && group.others_clusters < fewest_group_clusters))
                    continue;
                Contrast one{g,
                             c,
                             share(group.hits, group.images),
                             share(columns_[c].hits - group.hits, others),
                             group.size,
                             0,
                             static_cast<double>(others)};
                one.others_size = one.others_images / columns_[c].effect;
                errors.push_back(
                    std::hypot(statements::wilson_error(one.accuracy, one.size, z_),
                               statements::wilson_error(one.others, one.others_size, z_)));
                contrasts.push_back(one);
            }
        }
        if (contrasts.empty()) return;
        const auto influence = [&](std::size_t b, std::size_t k) {
            const Contrast& one = contrasts[k];
            const OfColumn& all = columns_[one.column];
            const double others = static_cast<double>(all.block_hits[b]) -
                                  one.others * static_cast<double>(all.block_images[b]) -
                                  residual(b, one.group, one.others);
            return residual(b, one.group, one.accuracy) /
                       static_cast<double>(out_.groups[one.group].images) -
                   others / one.others_images;
        };
        const statements::Factor factor = statements::rescaled(
            statements::Factor(influences(contrasts.size(), influence)), errors);
        const double quantile = std::max(
            z_, largest_error(statements::draws_of(factor, draws, seed_), errors, true, level_));
        for (const Contrast& one : contrasts) {
            const double tail = normal_cdf(-quantile);
            const Interval a = exact_bounds(one.accuracy, one.size, tail),
                           b = exact_bounds(one.others, one.others_size, tail);
            const double difference = one.accuracy - one.others;
            out_.groups[one.group].difference = difference;
            out_.groups[one.group].difference_interval = {
                difference - std::hypot(one.accuracy - a.low, b.high - one.others),
                difference + std::hypot(a.high - one.accuracy, one.others - b.low), level_,
                "exact.max_t"};
        }
    }

    const GroupedHits& images_;
    const double level_;
    const std::uint64_t seed_;
    const double z_;
    const bool clustered_;
    std::vector<OfColumn> columns_;
    BlockCounts counts_;
    LowestOfGroups out_;
};

}  // namespace

std::vector<HitsOfGroup> hits_by_group(const GroupedHits& images, double level) {
    return Tally(images, level, 0).groups();
}

LowestOfGroups lowest_of_groups(const GroupedHits& images, double level, std::uint64_t seed) {
    return Tally(images, level, seed).run();
}

}  // namespace assay::evaluate
