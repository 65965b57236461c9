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

struct PairedCounts {
    std::uint64_t both = 0, baseline = 0, candidate = 0, images = 0;

    double difference() const {
        return (static_cast<double>(candidate) - static_cast<double>(baseline)) /
               static_cast<double>(images);
    }
    Interval interval(double level) const {
        return paired_difference(both, candidate, baseline, images, level).interval;
    }
};

std::vector<PairedCounts> counts_by_group(const GroupedHits& groups,
                                          const std::vector<std::uint8_t>& a,
                                          const std::vector<std::uint8_t>& b) {
    std::vector<PairedCounts> counts(groups.groups);
    for (const GroupedHits::Column& column : groups.columns) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] == 2 || b[i] == 2 || column.of[i] < 0) continue;
            PairedCounts& own = counts[static_cast<std::size_t>(column.of[i])];
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

/// `counts`: of the groups that are large enough, one at least.
void add_lowest_difference(ComparedByGroup& result, const std::vector<PairedCounts>& counts,
                           const Resampling& how) {
    const double alpha = 1 - how.level, high_level = 1 - alpha / static_cast<double>(counts.size()),
                 z = normal_quantile(0.5 + how.level / 2);
    std::vector<double> values, errors;
    double low = 1, high = 1, gained = 0, images = 0;
    for (const PairedCounts& one : counts) {
        const Interval own = one.interval(how.level);
        values.push_back(one.difference());
        errors.push_back((own.high - own.low) / (2 * z));
        low = std::min(low, own.low);
        high = std::min(high, one.interval(high_level).high);
        gained += one.difference() * static_cast<double>(one.images);
        images += static_cast<double>(one.images);
    }
    const double lowest = *std::ranges::min_element(values);
    result.observed = lowest;
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

ComparedByGroup compared(const AccuracyByGroup& a, const AccuracyByGroup& b,
                         const std::vector<PairedCounts>& counts, const Resampling& how) {
    ComparedByGroup result;
    result.by = a.by;
    result.metric = a.metric;
    result.candidates = a.candidates;
    result.too_small = a.too_small;
    result.without = a.without;
    result.worst.unit = Unit::proportion;
    result.worst.n = a.worst.n;  // the same images count for both models
    const double together =
        std::pow(how.level, 1 / static_cast<double>(std::max<std::uint64_t>(1, a.candidates)));
    std::vector<PairedCounts> candidates;
    double lowest = statements::infinity;
    for (std::size_t g = 0; g < counts.size(); ++g) {
        PairedMetric& m = result.groups.emplace_back();
        m.baseline = a.groups[g].accuracy;
        m.candidate = b.groups[g].accuracy;
        m.difference.unit = Unit::proportion;
        m.difference.n = counts[g].images;
        if (counts[g].images == 0) {
            m.difference.undefined = m.candidate.undefined;
            continue;
        }
        m.difference.value = counts[g].difference();
        if (counts[g].images < fewest_group_images) {
            m.difference.note = "no interval: " + too_small_text(false);
            continue;
        }
        Interval interval = counts[g].interval(together);
        interval.level = how.level;
        interval.method += ".sidak";
        m.difference.interval = std::move(interval);
        m.counts = mcnemar(counts[g].baseline, counts[g].candidate);
        m.p = m.counts->p;
        m.test = "mcnemar.exact";
        candidates.push_back(counts[g]);
        if (*m.difference.value >= lowest) continue;
        lowest = *m.difference.value;
        result.observed_group = m.candidate.key.subgroup;
    }
    if (candidates.empty()) {
        result.worst.undefined = fmt::format("all groups have {}", too_small_text(false));
    } else {
        add_lowest_difference(result, candidates, how);
    }
    return result;
}

}  // namespace

std::vector<ComparedByGroup> compare_by_group(const ScoredSet& baseline, const ScoredSet& candidate,
                                              const Dataset& dataset,
                                              std::span<const std::uint64_t> rows,
                                              const ScoreOptions& options) {
    ScoreOptions independent = options;
    independent.cluster.clear();
    const NamedGroups groups = named_groups(dataset, independent, rows);
    const std::vector<AccuracyByGroup> first =
                                           accuracy_by_group(baseline, dataset, independent, rows),
                                       second =
                                           accuracy_by_group(candidate, dataset, independent, rows);
    std::vector<ComparedByGroup> results;
    for (const MetricRequest& request : baseline.requests) {
        if (!has_groups(request)) continue;
        const std::size_t k = results.size();
        const std::vector<PairedCounts> counts = counts_by_group(
            groups.hits, hits_of_images(request, baseline), hits_of_images(request, candidate));
        results.push_back(compared(first[k], second[k], counts, options.resampling));
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
    if (result.without > 0)
        table.notes.push_back(
            fmt::format("images without a value, in no group: {}", count_text(result.without)));
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
            part<&ComparedByGroup::groups>(
                {.help = "The intervals of all differences hold together; `p_holm` is adjusted "
                         "over the groups of all candidates"}),
        });
    return rows;
}

}  // namespace assay
