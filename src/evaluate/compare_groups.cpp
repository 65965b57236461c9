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
#include "evaluate/statements/noise.h"

namespace assay::evaluate {
namespace {

double difference_in(const PairedGroup& group) {
    return (static_cast<double>(group.candidate) - static_cast<double>(group.baseline)) /
           static_cast<double>(group.images);
}

Interval interval_in(const PairedGroup& group, double level) {
    return paired_difference(group.both, group.candidate, group.baseline, group.images, level)
        .interval;
}

/// `a`, `b`: hits_of_images() of the baseline and of the candidate.
std::vector<PairedGroup> paired_groups(const NamedGroups& groups,
                                       const std::vector<std::uint8_t>& a,
                                       const std::vector<std::uint8_t>& b) {
    std::vector<PairedGroup> counts(groups.names.size());
    for (std::size_t g = 0; g < counts.size(); ++g) counts[g].name = groups.names[g];
    for (const GroupedHits::Column& column : groups.hits.columns) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] == 2 || b[i] == 2 || column.of[i] < 0) continue;
            PairedGroup& own = counts[static_cast<std::size_t>(column.of[i])];
            ++own.images;
            own.both += a[i] & b[i];
            own.baseline += a[i] & (b[i] ^ 1U);
            own.candidate += (a[i] ^ 1U) & b[i];
        }
    }
    return counts;
}

/// How much lower the lowest of these values is expected to be than the lowest true one. The true
/// ones are assumed to spread as much as the values do beyond their errors.
double bias_of_lowest(const std::vector<double>& values, const std::vector<double>& errors,
                      std::uint64_t seed) {
    constexpr std::size_t draws = 1000;
    if (values.size() < 2) return 0;
    const double mean = statements::mean_of(values);
    const std::vector<double> around = statements::centred(values);
    const double seen =
        statements::sum_of_products(around, around) / static_cast<double>(values.size() - 1);
    const double noise =
        statements::sum_of_products(errors, errors) / static_cast<double>(values.size());
    const double kept = seen > noise ? std::sqrt((seen - noise) / seen) : 0;
    statements::Factor factor(values.size());
    factor.own = errors;
    const statements::Matrix drawn = statements::draws_of(factor, draws, seed);
    double sum = 0, lowest = statements::infinity;
    for (const double x : around) lowest = std::min(lowest, mean + kept * x);
    for (std::size_t d = 0; d < drawn.rows; ++d) {
        double least = statements::infinity;
        for (std::size_t g = 0; g < values.size(); ++g)
            least = std::min(least, mean + kept * around[g] + drawn.row(d)[g]);
        sum += least;
    }
    return sum / static_cast<double>(draws) - lowest;
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
        errors.push_back((own.high - own.low) / (2 * z));
        low = std::min(low, own.low);
        high = std::min(high, interval_in(*one, high_level).high);
        gained += values.back() * static_cast<double>(one->images);
        images += static_cast<double>(one->images);
    }
    const auto at = std::ranges::min_element(values);
    const double lowest = *at;
    result.observed = lowest;
    result.observed_group = groups[static_cast<std::size_t>(at - values.begin())]->name;
    // The lowest difference is not above the mean, which has no bias of choice.
    const double value =
        std::min(lowest - bias_of_lowest(values, errors, how.seed), gained / images);
    result.worst.value = std::clamp(value, low, high);
    result.worst.interval = {low, high, how.level, "worst.newcombe.paired"};
    result.worst.note =
        fmt::format("lowest observed: {:+.4g} points in {}; {} group{}", 100 * lowest,
                    result.observed_group, result.candidates, result.candidates == 1 ? "" : "s");
    if (result.too_small > 0)
        result.worst.note += fmt::format("; {} more have {} and cannot be the lowest",
                                         result.too_small, too_small_text(false));
}

}  // namespace

ComparedByGroup compared_counts(const std::vector<PairedGroup>& groups, const Resampling& how) {
    ComparedByGroup result;
    std::vector<const PairedGroup*> large;
    for (const PairedGroup& group : groups) {
        if (group.images >= fewest_group_images) large.push_back(&group);
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
        if (group.images == 0) {
            m.difference.undefined = "no item of this group counts";
            continue;
        }
        m.difference.value = difference_in(group);
        if (group.images < fewest_group_images) {
            m.difference.note = "no interval: " + too_small_text(false);
            continue;
        }
        Interval interval = interval_in(group, together);
        interval.level = how.level;
        interval.method += ".sidak";
        m.difference.interval = std::move(interval);
        m.counts = mcnemar(group.baseline, group.candidate);
        m.p = m.counts->p;
        m.test = "mcnemar.exact";
    }
    if (large.empty()) {
        result.worst.undefined = fmt::format("all groups have {}", too_small_text(false));
    } else {
        add_lowest_difference(result, large, how);
    }
    return result;
}

std::vector<ComparedByGroup> compare_by_group(const ScoredSet& baseline, const ScoredSet& candidate,
                                              const Dataset& dataset,
                                              std::span<const std::uint64_t> rows,
                                              const ScoreOptions& options) {
    ScoreOptions independent = options;
    independent.cluster.clear();
    NamedGroups groups = named_groups(dataset, independent, rows);
    std::vector<CountedByGroup> first =
                                    counts_of_groups(groups, baseline, dataset, independent, rows),
                                second =
                                    counts_of_groups(groups, candidate, dataset, independent, rows);
    std::vector<ComparedByGroup> results;
    for (const MetricRequest& request : baseline.requests) {
        if (!has_groups(request)) continue;
        CountedByGroup &a = first[results.size()], &b = second[results.size()];
        const std::vector<PairedGroup> pairs = paired_groups(
            groups, hits_of_images(request, baseline), hits_of_images(request, candidate));
        ComparedByGroup& result =
            results.emplace_back(compared_counts(pairs, independent.resampling));
        result.by = independent.by;
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

/// The lowest difference first; groups that are too small last.
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

Table group_table(const PairReport& report, const ComparedByGroup& result, std::string_view models,
                  std::string_view family) {
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
    table.add({"lowest difference", Count{result.worst.n}, Cell(), Cell(), result.worst,
               result.worst, Cell(), Cell(), Cell()});
    table.rule();
    const std::vector<const PairedMetric*> groups = lowest_first(result);
    const auto p_of = [](const std::optional<double>& p) { return p ? Cell(PValue{*p}) : Cell(); };
    for (std::size_t i = 0; i < std::min(groups.size(), most_shown); ++i) {
        const PairedMetric& m = *groups[i];
        table.add({m.candidate.key.subgroup, Count{m.difference.n},
                   m.baseline.value ? Cell(Estimate(m.baseline)) : Cell(),
                   m.candidate.value ? Cell(Estimate(m.candidate)) : Cell(),
                   m.difference.value ? Cell(m.difference) : Cell(),
                   m.difference.interval ? Cell(m.difference) : Cell(), p_of(m.p), p_of(m.p_holm),
                   std::string(name_of(m.verdict))});
    }
    if (groups.size() > most_shown)
        table.notes.push_back(
            fmt::format("{} of {} groups; --json and --csv have all", most_shown, groups.size()));
    if (result.too_small > 0)
        table.notes.push_back(
            fmt::format("groups without an interval have {}", too_small_text(false)));
    if (!result.without_value.empty())
        table.notes.push_back(without_value_note(result.without_value, result.without));
    table.notes.push_back(fmt::format(
        "lowest difference: {}",
        result.worst.value ? result.worst.note : "undefined: " + result.worst.undefined));
    table.notes.push_back(fmt::format(
        "the intervals of all groups hold together; `better` and `worse` after Holm's correction "
        "over the groups{}{}",
        family.empty() ? "" : " of all ", family));
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
                {.help = "By each attribute for which there are some"}),
            part<&ComparedByGroup::groups>(
                {.help = "The intervals of all differences hold together; `p_holm` is adjusted "
                         "over the groups of all candidates"}),
        });
    return rows;
}

}  // namespace assay
