#include "assay/quality/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/statistics.h"
#include "core/text.h"
#include "quality/cell_notes.h"
#include "quality/families.h"

namespace assay::quality {
namespace {

constexpr std::size_t most_exact_clusters = 16;

struct Moments {
    double mean = 0, variance = 0;  ///< with n - 1
    double n = 0;
};

Moments moments_of(const std::vector<double>& values) {
    Moments m;
    m.n = static_cast<double>(values.size());
    m.mean = std::accumulate(values.begin(), values.end(), 0.0) / m.n;
    for (const double v : values) m.variance += (v - m.mean) * (v - m.mean);
    m.variance = m.n > 1 ? m.variance / (m.n - 1) : 0;
    return m;
}

Estimate mean_of(const std::vector<double>& values, double level) {
    const Moments m = moments_of(values);
    Estimate e;
    e.value = m.mean;
    e.n = values.size();
    if (m.n > 1 && m.variance > 0) {
        e.standard_error = std::sqrt(m.variance / m.n);
        e.interval = symmetric_interval(m.mean, *e.standard_error, level, "t", m.n - 1);
    }
    return e;
}

/// Hedges' correction of a standardized difference for small groups.
double small_sample(double degrees) {
    return 1 - 3 / (4 * degrees - 1);
}

Estimate effect_of(double standardised, double degrees, double variance, std::size_t n,
                   double level) {
    Estimate e;
    const double j = small_sample(degrees);
    e.value = j * standardised;
    e.n = n;
    e.standard_error = j * std::sqrt(variance);
    e.interval = symmetric_interval(*e.value, *e.standard_error, level, "normal");
    return e;
}

std::vector<double> values_of(const QualityColumn& column, const std::vector<std::size_t>& models) {
    std::vector<double> out;
    out.reserve(models.size());
    for (const std::size_t m : models) out.push_back(column.values[m].value());
    return out;
}

/// The random numbers of the test of a column with a permutation.
RandomStream stream_of(const std::string& what, const GroupOptions& options,
                       const ColumnName& column, std::uint32_t permutation) {
    if (!column.dimension)
        return RandomStream(options.seed, what + " of " + column.name, permutation);
    return RandomStream(
        options.seed, what,
        permutation * dimension_count + static_cast<std::size_t>(*column.dimension));
}

/// Pairs that share a model or a family are in one cluster, numbered from 0.
std::vector<std::size_t> clusters_of(const std::vector<std::size_t>& first,
                                     const std::vector<std::size_t>& second,
                                     const Families& families, std::size_t& count) {
    const std::size_t n = first.size();
    std::vector<std::size_t> parent(n);
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (first[i] == first[j] || second[i] == second[j] || families.of[i] == families.of[j])
                parent[root(i)] = root(j);
        }
    }
    std::vector<std::size_t> of(n, n);
    count = 0;
    std::vector<std::size_t> number(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t& mine = number[root(i)];
        if (mine == n) mine = count++;
        of[i] = mine;
    }
    return of;
}

/// Allows for rounding, because the same sum in another order must not count as smaller.
bool as_large(double drawn, double observed) {
    return std::fabs(drawn) >= std::fabs(observed) * (1 - 1e-9);
}

double sign_flip_p(const std::vector<double>& sums, const GroupOptions& options,
                   const ColumnName& column) {
    const double observed = std::accumulate(sums.begin(), sums.end(), 0.0);
    if (sums.size() <= most_exact_clusters) {
        const std::uint32_t all = 1U << sums.size();
        std::uint32_t larger = 0;
        for (std::uint32_t signs = 0; signs < all; ++signs) {
            double sum = 0;
            for (std::size_t i = 0; i < sums.size(); ++i)
                sum += (signs >> i & 1U) != 0 ? -sums[i] : sums[i];
            larger += as_large(sum, observed) ? 1 : 0;
        }
        return static_cast<double>(larger) / all;
    }
    std::uint32_t larger = 1;
    for (std::uint32_t r = 0; r < options.permutations; ++r) {
        throw_if_stopped();
        RandomStream stream = stream_of("quality signs", options, column, r);
        double sum = 0;
        for (const double s : sums) sum += (stream.next_u32() & 1U) != 0 ? -s : s;
        larger += as_large(sum, observed) ? 1 : 0;
    }
    return static_cast<double>(larger) / (options.permutations + 1.0);
}

double exchange_p(std::vector<double> first, const std::vector<double>& second,
                  const GroupOptions& options, const ColumnName& column, bool& exact) {
    const std::size_t n = first.size(), total = n + second.size();
    std::vector<double> all = std::move(first);
    all.insert(all.end(), second.begin(), second.end());
    const double mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(total);
    for (double& v : all) v -= mean;
    // Because the total sum is fixed, the sum of the first group determines the difference of the
    // means.
    const double observed =
        std::accumulate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), 0.0);
    exact = total <= most_exact_clusters;
    if (exact) {
        double larger = 0, count = 0;
        for (std::uint32_t chosen = 0; chosen < 1U << total; ++chosen) {
            if (static_cast<std::size_t>(std::popcount(chosen)) != n) continue;
            double sum = 0;
            for (std::size_t i = 0; i < total; ++i) sum += (chosen >> i & 1U) != 0 ? all[i] : 0;
            larger += as_large(sum, observed) ? 1 : 0;
            count += 1;
        }
        return larger / count;
    }
    std::uint32_t larger = 1;
    for (std::uint32_t r = 0; r < options.permutations; ++r) {
        throw_if_stopped();
        RandomStream stream = stream_of("quality exchange", options, column, r);
        std::vector<double> drawn = all;
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            std::swap(drawn[i], drawn[i + static_cast<std::size_t>(stream.below(total - i))]);
            sum += drawn[i];
        }
        larger += as_large(sum, observed) ? 1 : 0;
    }
    return static_cast<double>(larger) / (options.permutations + 1.0);
}

double pooled_student_p(const Moments& a, const Moments& b) {
    const double degrees = a.n + b.n - 2;
    const double variance = ((a.n - 1) * a.variance + (b.n - 1) * b.variance) / degrees;
    if (!(variance > 0)) return a.mean == b.mean ? 1 : 0;
    const double t = std::fabs(a.mean - b.mean) / std::sqrt(variance * (1 / a.n + 1 / b.n));
    return std::min(1.0, 2 * student_t_tail(t, degrees));
}

struct Groups {
    std::vector<std::size_t> first, second;  ///< as listed
};

Groups groups_of(const QualityTable& table, const GroupOptions& options) {
    Groups groups = {select_listed(table, options.first), select_listed(table, options.second)};
    for (const std::size_t m : groups.first) {
        if (std::find(groups.second.begin(), groups.second.end(), m) == groups.second.end())
            continue;
        throw Error(ErrorCode::usage, fmt::format("{} is in both groups", table.models[m].label));
    }
    if (distinct_models(groups.first).size() < 2 || distinct_models(groups.second).size() < 2)
        throw Error(ErrorCode::usage, "a group needs at least two models");
    if (!options.paired && !options.family.empty())
        throw Error(ErrorCode::usage, "families only apply to pairs: add --paired");
    if (options.paired && groups.first.size() != groups.second.size()) {
        throw Error(ErrorCode::usage,
                    fmt::format("pairs need groups of equal size; they have {} and {}",
                                groups.first.size(), how_many(groups.second.size(), "model")));
    }
    return groups;
}

void compare_pairs(GroupDifference& d, const std::vector<double>& first,
                   const std::vector<double>& second, const std::vector<std::size_t>& cluster,
                   std::size_t clusters, const GroupOptions& options) {
    const auto n = static_cast<double>(first.size());
    std::vector<double> differences, sums(clusters, 0), sizes(clusters, 0);
    for (std::size_t i = 0; i < first.size(); ++i) {
        differences.push_back(second[i] - first[i]);
        sums[cluster[i]] += differences.back();
        sizes[cluster[i]] += 1;
    }
    const Moments m = moments_of(differences);
    double squares = 0;
    for (std::size_t c = 0; c < clusters; ++c) {
        const double residual = sums[c] - sizes[c] * m.mean;
        squares += residual * residual;
    }
    const auto g = static_cast<double>(clusters);
    d.difference.value = m.mean;
    d.difference.n = first.size();
    if (clusters > 1 && squares > 0) {
        d.difference.standard_error = std::sqrt(g / (g - 1) * squares) / n;
        d.difference.interval = symmetric_interval(m.mean, *d.difference.standard_error,
                                                   options.level, "t.clusters", g - 1);
    } else {
        d.difference.note = "no spread between clusters of pairs";
    }
    if (m.variance > 0 && clusters > 2) {
        const double standardised = m.mean / std::sqrt(m.variance);
        d.effect = effect_of(standardised, g - 1, 1 / g + standardised * standardised / (2 * g),
                             first.size(), options.level);
    } else {
        d.effect.undefined = "pairs differ by the same amount, or are too few";
    }
    d.p = sign_flip_p(sums, options, d.dimension);
}

void compare_unpaired(GroupDifference& d, const std::vector<double>& first,
                      const std::vector<double>& second, const GroupOptions& options, bool& exact) {
    const Moments a = moments_of(first), b = moments_of(second);
    d.difference.value = b.mean - a.mean;
    d.difference.n = first.size() + second.size();
    const double va = a.variance / a.n, vb = b.variance / b.n;
    if (va + vb > 0) {
        const double degrees = (va + vb) * (va + vb) / (va * va / (a.n - 1) + vb * vb / (b.n - 1));
        d.difference.standard_error = std::sqrt(va + vb);
        d.difference.interval = symmetric_interval(*d.difference.value, std::sqrt(va + vb),
                                                   options.level, "t.welch", degrees);
        const double pooled =
            std::sqrt(((a.n - 1) * a.variance + (b.n - 1) * b.variance) / (a.n + b.n - 2));
        const double standardised = *d.difference.value / pooled;
        d.effect =
            effect_of(standardised, a.n + b.n - 2,
                      (a.n + b.n) / (a.n * b.n) + standardised * standardised / (2 * (a.n + b.n)),
                      first.size() + second.size(), options.level);
    } else {
        d.difference.note = "no spread within the groups";
        d.effect.undefined = "no spread within the groups";
    }
    d.p = exchange_p(first, second, options, d.dimension, exact);
}

}  // namespace

GroupResult compare_groups(const QualityTable& table, const GroupOptions& options) {
    if (!(options.level > 0 && options.level < 1))
        throw Error(ErrorCode::usage,
                    fmt::format("level is {}; it must be in (0, 1)", options.level));
    if (options.permutations < 100)
        throw Error(ErrorCode::usage,
                    fmt::format("{} permutations; allowed: 100 or more", options.permutations));
    GroupResult result;
    result.options = options;
    const Groups groups = groups_of(table, options);
    const std::vector<std::size_t> first = distinct_models(groups.first),
                                   second = distinct_models(groups.second);
    result.first_models = first.size();
    result.second_models = second.size();
    std::vector<std::size_t> both = first;
    both.insert(both.end(), second.begin(), second.end());
    result.notes = notes_on_cells(table, both, equal_weights());
    std::vector<std::size_t> cluster;
    if (options.paired) {
        cluster = clusters_of(groups.first, groups.second,
                              families_of(table, groups.first, options.family), result.clusters);
        result.exact = result.clusters <= most_exact_clusters;
        if (result.clusters < 6) {
            result.warnings.push_back(fmt::format(
                "{} independent clusters of pairs: no p-value can be below {:.2g}", result.clusters,
                2.0 / static_cast<double>(std::uint64_t{1} << result.clusters)));
        }
    }
    for (const QualityColumn& column : quality_columns(table, options.columns, both)) {
        const auto lacks = [&](std::size_t m) { return !column.values[m]; };
        const auto lacking = std::count_if(first.begin(), first.end(), lacks) +
                             std::count_if(second.begin(), second.end(), lacks);
        if (lacking > 0) {
            result.warnings.push_back(
                fmt::format("{} is skipped: {} of the models lack it", column.name.title, lacking));
            continue;
        }
        GroupDifference d;
        d.dimension = column.name;
        const auto all_first = values_of(column, groups.first);
        const auto all_second = values_of(column, groups.second);
        d.first = mean_of(all_first, options.level);
        d.second = mean_of(all_second, options.level);
        const auto one = values_of(column, first);
        const auto two = values_of(column, second);
        if (options.paired) {
            compare_pairs(d, all_first, all_second, cluster, result.clusters, options);
        } else {
            compare_unpaired(d, one, two, options, result.exact);
        }
        if (options.published_test) {
            const double p = pooled_student_p(moments_of(one), moments_of(two));
            d.published = {p, p < 0.05 ? 3 : p < 0.1 ? 2 : p < 0.2 ? 1 : 0};
        }
        result.dimensions.push_back(std::move(d));
    }
    std::vector<double> p;
    for (const GroupDifference& d : result.dimensions) p.push_back(d.p);
    const std::vector<double> adjusted = holm(p);
    for (std::size_t i = 0; i < adjusted.size(); ++i) result.dimensions[i].adjusted = adjusted[i];
    if (!options.paired &&
        (groups.first.size() > first.size() || groups.second.size() > second.size())) {
        result.notes.emplace_back(
            "means count a model as often as it is listed; differences and tests count it once");
    }
    if (!options.paired) {
        result.notes.emplace_back(
            "models are treated as independent; those of one family are not, and p-values are then "
            "too small. Name families of matched pairs with --family");
    }
    if (options.published_test) {
        result.notes.emplace_back(
            "stars as in the published table: from p < .2 on, without adjustment, so that of 9 "
            "comparisons of equal groups about 2 have one");
    }
    return result;
}

}  // namespace assay::quality
