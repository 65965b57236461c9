#include "evaluate/compare_groups.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "core/statistics.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/statements/lowest.h"

namespace assay::evaluate {
namespace {

double degrees_in(const PairedClusters& clusters) {
    return static_cast<double>(clusters.count) - 1;
}

double difference_in(const PairedGroup& group) {
    return (static_cast<double>(group.candidate) - static_cast<double>(group.baseline)) /
           static_cast<double>(group.images);
}

Interval interval_in(const PairedGroup& group, double level) {
    Interval interval =
        paired_difference(group.both, group.candidate, group.baseline, group.images, level)
            .interval;
    if (!group.clusters) return interval;
    const Interval own =
        symmetric_interval(difference_in(group), group.clusters->error, level,
                           "jackknife.clusters.paired", degrees_in(*group.clusters));
    interval.low = std::max(-1.0, std::min(interval.low, own.low));
    interval.high = std::min(1.0, std::max(interval.high, own.high));
    interval.method = own.method;
    return interval;
}

bool is_large(const PairedGroup& group) {
    return group.images >= fewest_group_images &&
           (!group.clusters || group.clusters->count >= fewest_group_clusters);
}

/// Images of a cluster in a group.
struct PairedPart {
    std::uint64_t key = 0;  // the group, then the cluster
    double images = 0, gained = 0;
};

/// `parts`: one for each image of each group, in any order.
void set_clusters(std::vector<PairedGroup>& groups, std::vector<PairedPart> parts) {
    std::ranges::sort(parts, {}, &PairedPart::key);
    std::vector<double> squares(groups.size(), 0), residuals(groups.size(), 0);
    for (PairedGroup& group : groups) group.clusters.emplace();
    for (std::size_t begin = 0; begin < parts.size();) {
        const std::uint64_t key = parts[begin].key;
        double images = 0, gained = 0;
        for (; begin < parts.size() && parts[begin].key == key; ++begin) {
            images += parts[begin].images;
            gained += parts[begin].gained;
        }
        const auto g = static_cast<std::size_t>(key >> 32U);
        const double residual = gained - images * difference_in(groups[g]);
        ++groups[g].clusters->count;
        squares[g] += images * images;
        residuals[g] += residual * residual;
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
        PairedClusters& own = *groups[g].clusters;
        if (own.count < 2) continue;
        const auto n = static_cast<double>(groups[g].images),
                   count = static_cast<double>(own.count);
        own.error =
            std::max(std::sqrt(residuals[g] * count / (count - 1)) / n, squares[g] / (n * n));
    }
}

/// `a` and `b` are hits_of_images() of the baseline and of the candidate.
std::vector<PairedGroup> paired_groups(const NamedGroups& groups,
                                       const std::vector<std::uint8_t>& a,
                                       const std::vector<std::uint8_t>& b) {
    std::vector<PairedGroup> counts(groups.names.size());
    for (std::size_t g = 0; g < counts.size(); ++g) counts[g].name = groups.names[g];
    const std::vector<std::uint32_t>& cluster = groups.hits.cluster;
    std::vector<PairedPart> parts;
    for (const GroupedHits::Column& column : groups.hits.columns) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] == 2 || b[i] == 2 || column.of[i] < 0) continue;
            PairedGroup& own = counts[static_cast<std::size_t>(column.of[i])];
            ++own.images;
            own.both += a[i] & b[i];
            own.baseline += a[i] & (b[i] ^ 1U);
            own.candidate += (a[i] ^ 1U) & b[i];
            if (!cluster.empty())
                parts.push_back({static_cast<std::uint64_t>(column.of[i]) << 32U | cluster[i], 1,
                                 static_cast<double>(b[i]) - static_cast<double>(a[i])});
        }
    }
    if (!cluster.empty()) set_clusters(counts, std::move(parts));
    return counts;
}

/// `groups`: those that are large enough, one at least.
void add_lowest_difference(ComparedByGroup& result, const std::vector<const PairedGroup*>& groups,
                           const Resampling& how) {
    const double alpha = 1 - how.level, high_level = 1 - alpha / static_cast<double>(groups.size()),
                 z = normal_quantile(0.5 + how.level / 2);
    std::vector<double> values, errors;
    double low = 1, high = 1, gained = 0, images = 0;
    for (const PairedGroup* one : groups) {
        const Interval own = interval_in(*one, how.level);
        values.push_back(difference_in(*one));
        const double error = (own.high - own.low) / (2 * z);
        errors.push_back(one->clusters ? one->clusters->error : error);
        low = std::min(low, own.low);
        high = std::min(high, interval_in(*one, high_level).high);
        gained += values.back() * static_cast<double>(one->images);
        images += static_cast<double>(one->images);
    }
    const auto at = std::ranges::min_element(values);
    const double lowest = *at;
    result.observed = lowest;
    result.observed_group = groups[static_cast<std::size_t>(at - values.begin())]->name;
    // The lowest difference is not above the mean, which has no selection bias.
    const double value =
        std::min(lowest - statements::bias_of_lowest(values, errors, how.seed), gained / images);
    result.worst.value = std::clamp(value, low, high);
    const bool clustered = groups.front()->clusters.has_value();
    result.worst.interval = {
        low, high, how.level,
        clustered ? "worst.jackknife.clusters.paired" : "worst.newcombe.paired"};
    result.worst.note =
        fmt::format("lowest observed: {:+.4g} points in {}; {} group{}", 100 * lowest,
                    result.observed_group, result.candidates, result.candidates == 1 ? "" : "s");
    if (result.too_small > 0)
        result.worst.note += fmt::format("; {} more have {} and cannot be the lowest",
                                         result.too_small, too_small_text(clustered));
}

/// Adds the test of a group that is large enough.
void add_test(PairedMetric& m, const PairedGroup& group) {
    m.counts = mcnemar(group.baseline, group.candidate);
    m.p = m.counts->p;
    m.test = "mcnemar.exact";
    if (!group.clusters) return;
    m.p = std::max(*m.p, 2 * student_t_tail(std::abs(difference_in(group)) / group.clusters->error,
                                            degrees_in(*group.clusters)));
    m.difference.standard_error = group.clusters->error;
    m.test = "jackknife.t.clusters";
}

}  // namespace

ComparedByGroup compared_counts(const std::vector<PairedGroup>& groups, const Resampling& how) {
    ComparedByGroup result;
    const bool clustered = !groups.empty() && groups.front().clusters.has_value();
    std::vector<const PairedGroup*> large;
    for (const PairedGroup& group : groups) {
        if (is_large(group)) large.push_back(&group);
    }
    result.candidates = large.size();
    result.too_small = groups.size() - large.size();
    result.worst.unit = Unit::proportion;
    const double together =
        std::pow(how.level, 1 / static_cast<double>(std::max<std::size_t>(1, large.size())));
    for (const PairedGroup& group : groups) {
        PairedMetric& m = result.groups.emplace_back();
        m.difference.unit = Unit::proportion;
        m.difference.n = group.images;
        if (group.clusters) m.clusters = group.clusters->count;
        if (group.images == 0) {
            m.difference.undefined = "no item of this group counts";
            continue;
        }
        m.difference.value = difference_in(group);
        if (!is_large(group)) {
            m.difference.note = "no interval: " + too_small_text(clustered);
            continue;
        }
        Interval interval = interval_in(group, together);
        interval.level = how.level;
        interval.method += ".sidak";
        m.difference.interval = std::move(interval);
        add_test(m, group);
    }
    if (large.empty()) {
        result.worst.undefined = fmt::format("all groups have {}", too_small_text(clustered));
    } else {
        add_lowest_difference(result, large, how);
    }
    return result;
}

std::vector<ComparedByGroup> compare_by_group(const ScoredSet& baseline, const ScoredSet& candidate,
                                              const Dataset& dataset,
                                              std::span<const std::uint64_t> rows,
                                              const ScoreOptions& options) {
    NamedGroups groups = named_groups(dataset, options, rows);
    std::vector<CountedByGroup> first = counts_of_groups(groups, baseline, dataset, options, rows),
                                second =
                                    counts_of_groups(groups, candidate, dataset, options, rows);
    std::vector<ComparedByGroup> results;
    for (const MetricRequest& request : baseline.requests) {
        if (!has_groups(request)) continue;
        CountedByGroup &a = first[results.size()], &b = second[results.size()];
        const std::vector<PairedGroup> pairs = paired_groups(
            groups, hits_of_images(request, baseline), hits_of_images(request, candidate));
        ComparedByGroup& result = results.emplace_back(compared_counts(pairs, options.resampling));
        result.by = options.by;
        result.metric = std::move(a.metric);
        // The same images count for both models.
        result.worst.n = a.in_candidates;
        result.without = a.without;
        result.without_value = std::move(a.without_value);
        for (std::size_t g = 0; g < pairs.size(); ++g) {
            result.groups[g].baseline = std::move(a.groups[g].accuracy);
            result.groups[g].candidate = std::move(b.groups[g].accuracy);
        }
    }
    return results;
}

namespace {

using Show = Column::Show;

constexpr std::size_t most_shown = 30;
/// Student's t is far above the normal quantile for fewer clusters.
constexpr std::uint64_t few_clusters = 12;

/// Groups are sorted by difference. Groups that are too small are last.
std::vector<const PairedMetric*> lowest_first(const ComparedByGroup& result) {
    std::vector<const PairedMetric*> groups;
    for (const PairedMetric& group : result.groups) groups.push_back(&group);
    std::ranges::stable_sort(groups, [](const auto* a, const auto* b) {
        const bool a_large = a->difference.interval.has_value(),
                   b_large = b->difference.interval.has_value();
        if (a_large != b_large) return a_large;
        return a->difference.value.value_or(2) < b->difference.value.value_or(2);
    });
    return groups;
}

/// The fewest clusters of a group with an interval; none if images are independent.
std::optional<std::uint64_t> fewest_clusters(const ComparedByGroup& result) {
    std::optional<std::uint64_t> fewest;
    for (const PairedMetric& m : result.groups) {
        if (m.clusters && m.difference.interval)
            fewest = std::min(fewest.value_or(*m.clusters), *m.clusters);
    }
    return fewest;
}

Table group_table(const PairReport& report, const ComparedByGroup& result, std::string_view models,
                  std::string_view family) {
    const bool clustered = !result.groups.empty() && result.groups.front().clusters.has_value();
    Table table;
    table.title = fmt::format("{}: {} by {}", models, result.metric, by_text(result.by));
    table.columns = {{"group", false},
                     {"n"},
                     {report.baseline + " %", true, Show::value},
                     {report.candidate + " %", true, Show::value},
                     {.name = "difference", .sign = true},
                     {"interval", true, Show::interval},
                     {"p"},
                     {"p (Holm)"},
                     {"candidate is", false}};
    std::vector<std::vector<Cell>> cells;
    cells.push_back({"lowest difference", Count{result.worst.n}, Cell(), Cell(), result.worst,
                     result.worst, Cell(), Cell(), Cell()});
    const std::vector<const PairedMetric*> groups = lowest_first(result);
    const auto p_of = [](const std::optional<double>& p) { return p ? Cell(PValue{*p}) : Cell(); };
    for (std::size_t i = 0; i < std::min(groups.size(), most_shown); ++i) {
        const PairedMetric& m = *groups[i];
        cells.push_back({m.candidate.key.subgroup, Count{m.difference.n},
                         m.baseline.value ? Cell(Estimate(m.baseline)) : Cell(),
                         m.candidate.value ? Cell(Estimate(m.candidate)) : Cell(),
                         m.difference.value ? Cell(m.difference) : Cell(),
                         m.difference.interval ? Cell(m.difference) : Cell(), p_of(m.p),
                         p_of(m.p_holm), std::string(name_of(m.verdict))});
        if (clustered) cells.back().insert(cells.back().begin() + 2, Count{*m.clusters});
    }
    if (clustered) {
        table.columns.insert(table.columns.begin() + 2, {"clusters"});
        cells.front().insert(cells.front().begin() + 2, Cell());
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
        table.add(std::move(cells[i]));
        if (i == 0) table.rule();
    }
    if (groups.size() > most_shown)
        table.notes.push_back(
            fmt::format("{} of {} groups; --json and --csv have all", most_shown, groups.size()));
    if (result.too_small > 0)
        table.notes.push_back(
            fmt::format("groups without an interval have {}", too_small_text(clustered)));
    const std::optional<std::uint64_t> fewest = fewest_clusters(result);
    if (fewest && *fewest < few_clusters)
        table.notes.push_back(fmt::format(
            "intervals are wide if a group has few clusters; the fewest with an interval: {}",
            *fewest));
    if (!result.without_value.empty())
        table.notes.push_back(without_value_note(result.without_value, result.without));
    table.notes.push_back(fmt::format(
        "lowest difference: {}",
        result.worst.value ? result.worst.note : "undefined: " + result.worst.undefined));
    table.notes.push_back(fmt::format(
        "the intervals of all groups hold together; `better` and `worse` after Holm's correction "
        "over the groups{}{}{}",
        family.empty() ? "" : " of all ", family,
        clustered ? "; p: Student's t test of the differences between clusters, "
                    "never below McNemar's"
                  : ""));
    return table;
}

}  // namespace

std::vector<Block> compared_group_blocks(const PairReport& report, std::string_view models,
                                         std::string_view family) {
    std::vector<Block> blocks;
    for (const ComparedByGroup& result : report.groups)
        blocks.emplace_back(group_table(report, result, models, family));
    return blocks;
}

}  // namespace assay::evaluate

namespace assay {

ResultType result_type(ResultOf<ComparedByGroup>) {
    static constexpr auto rows = describe_result<ComparedByGroup>(
        {.name = "ComparedByGroup", .help = "One accuracy of two models by groups of images"},
        {
            part<&ComparedByGroup::by>({.help = "The attributes of each `--by`"}),
            part<&ComparedByGroup::metric>({.help = "`top1` or `real`"}),
            part<&ComparedByGroup::worst>(
                {.help = "The lowest true difference; its value is corrected for the choice of "
                         "the lowest"}),
            part<&ComparedByGroup::observed>({.help = "The lowest observed difference"}),
            part<&ComparedByGroup::observed_group>({.help = "The group that has it"}),
            part<&ComparedByGroup::candidates>({.help = "Groups that are large enough"}),
            part<&ComparedByGroup::too_small>({.help = "Groups that are not, and cannot have the "
                                                       "lowest difference"}),
            part<&ComparedByGroup::without>({.help = "Images that count and are in no group"}),
            part<&ComparedByGroup::without_value>(
                {.help = "Number of images without a value, by attribute"}),
            part<&ComparedByGroup::groups>(
                {.help = "The intervals of all differences hold together; `p_holm` is adjusted "
                         "over the groups of all candidates"}),
        });
    return rows;
}

}  // namespace assay
