// Describes the values of the models of a gap, and their averages.
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/gap/gap_result.h"

namespace assay {
namespace {

struct ShownPair {
    const GapPair* pair;
    bool mean;

    ShownEstimate first() const { return shown(pair->first, 0); }
    ShownEstimate second() const { return shown(pair->second, 1); }
    ShownEstimate gap() const { return shown(pair->gap, 2); }
    ShownEstimate absolute_gap() const {
        ShownEstimate of = shown(pair->absolute, 2);
        of.raw = pair->absolute_raw;
        return of;
    }

private:
    ShownEstimate shown(const Estimate& estimate, std::size_t which) const {
        return {&estimate, mean ? std::optional(pair->models[which]) : std::nullopt, {}};
    }
};
ResultType result_type(ResultOf<ShownPair>) {
    static constexpr auto rows = describe_result<ShownPair>(
        {.name = "GapPair", .help = "One metric on both data sets"},
        {
            part<&ShownPair::first>({}),
            part<&ShownPair::second>({}),
            part<&ShownPair::gap>({.help = "First minus second: above 0 if accuracy drops"}),
            part<&ShownPair::absolute_gap>(
                {.help = "For averages: the mean of |gap| over these models"}),
        });
    return rows;
}

std::array<ShownPair, 3> shown(const std::array<GapPair, 3>& metrics, bool mean) {
    return {{{&metrics[0], mean}, {&metrics[1], mean}, {&metrics[2], mean}}};
}

struct ShownSubgroup {
    const GapSubgroup* group;
    bool mean;

    ShownPair top1() const { return {&group->top1, mean}; }
    ShownPair real() const { return {&group->real, mean}; }
    ShownPair agreement() const { return {&group->agreement, mean}; }
};
ResultType result_type(ResultOf<ShownSubgroup>) {
    static constexpr auto rows = describe_result<ShownSubgroup>(
        {.name = "GapSubgroup", .help = "Images with so many valid labels"},
        {
            part<&ShownSubgroup::group, &GapSubgroup::labels>({}),
            part<&ShownSubgroup::top1>({}),
            part<&ShownSubgroup::real>({}),
            part<&ShownSubgroup::agreement>({}),
        });
    return rows;
}

std::vector<ShownSubgroup> shown(const std::vector<GapSubgroup>& groups, bool mean) {
    std::vector<ShownSubgroup> out;
    for (const GapSubgroup& group : groups) out.push_back({&group, mean});
    return out;
}

struct ShownDecomposition {
    const GapDecomposition* gap;
    std::optional<std::uint32_t> models;
};
ResultType result_type(ResultOf<ShownDecomposition>) {
    static constexpr auto gap = &ShownDecomposition::gap;
    static constexpr auto rows = describe_result<ShownDecomposition>(
        {.name = "GapDecomposition", .help = "The gap of top-1 is composition and within"},
        {
            part<gap, &GapDecomposition::composition>(
                {.help = "Part of the gap because the images have different numbers of labels"}),
            part<gap, &GapDecomposition::within>({.help = "What remains of the gap"}),
            part<gap, &GapDecomposition::unmatched>(
                {.help = "Part of the composition that comes from numbers of labels that one data "
                         "set lacks"}),
            part<gap, &GapDecomposition::explained>(
                {.help = "Composition divided by gap; undefined if the gap's interval contains 0"}),
            part<&ShownDecomposition::models>({.help = "Of averages", .omitted = true}),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<GapRank>) {
    static constexpr auto rows = describe_result<GapRank>(
        {.name = "GapRank",
         .help = "1 is the best; low to high holds the true rank of a model named beforehand"},
        {
            part<&GapRank::rank>({}),
            part<&GapRank::low>({.omitted = true}),
            part({.name = "high", .omitted = true},
                 [](const GapRank& r) { return r.low > 0 ? &r.high : nullptr; }),
        });
    return rows;
}

namespace {

/// No value if the value is undefined and not ranked.
std::array<std::array<const GapRank*, 2>, 3> ranks_of(const GapModel& model) {
    std::array<std::array<const GapRank*, 2>, 3> out{};
    for (std::size_t m = 0; m < out.size(); ++m) {
        for (std::size_t set = 0; set < out[m].size(); ++set) {
            if (model.ranks[m][set].rank > 0) out[m][set] = &model.ranks[m][set];
        }
    }
    return out;
}

}  // namespace

ResultType result_type(ResultOf<GapModel>) {
    static constexpr auto rows = describe_result<GapModel>(
        {.name = "GapModel",
         .columns =
             "model,"
             "top1_v1=metrics.top1.first*,top1_v2=metrics.top1.second*,top1_gap=metrics.top1.gap*,"
             "real_v1=metrics.real.first*,real_v2=metrics.real.second*,real_gap=metrics.real.gap*,"
             "asma_v1=metrics.asma.first*,asma_v2=metrics.asma.second*,asma_gap=metrics.asma.gap*,"
             "composition=decomposition.composition*,within=decomposition.within*,"
             "top1_rank_v1=ranks.top1.first.rank,top1_rank_v1_low=ranks.top1.first.low,"
             "top1_rank_v1_high=ranks.top1.first.high,"
             "top1_rank_v2=ranks.top1.second.rank,top1_rank_v2_low=ranks.top1.second.low,"
             "top1_rank_v2_high=ranks.top1.second.high,"
             "real_rank_v1=ranks.real.first.rank,real_rank_v1_low=ranks.real.first.low,"
             "real_rank_v1_high=ranks.real.first.high,"
             "real_rank_v2=ranks.real.second.rank,real_rank_v2_low=ranks.real.second.low,"
             "real_rank_v2_high=ranks.real.second.high,"
             "asma_rank_v1=ranks.asma.first.rank,asma_rank_v1_low=ranks.asma.first.low,"
             "asma_rank_v1_high=ranks.asma.first.high,"
             "asma_rank_v2=ranks.asma.second.rank,asma_rank_v2_low=ranks.asma.second.low,"
             "asma_rank_v2_high=ranks.asma.second.high,"
             "top1_rank_between=rank_change_between.top1.change,"
             "top1_rank_between_low=rank_change_between.top1.low,"
             "top1_rank_between_high=rank_change_between.top1.high,"
             "real_rank_between=rank_change_between.real.change,"
             "real_rank_between_low=rank_change_between.real.low,"
             "real_rank_between_high=rank_change_between.real.high,"
             "asma_rank_between=rank_change_between.asma.change,"
             "asma_rank_between_low=rank_change_between.asma.low,"
             "asma_rank_between_high=rank_change_between.asma.high,"
             "rank_change_v1=rank_change.first,rank_change_v2=rank_change.second,"
             "not_scored_v1=not_scored.first,not_scored_v2=not_scored.second,"
             "subgroup{labels}_v1=subgroups.agreement.first*,"
             "subgroup{labels}_v2=subgroups.agreement.second*,"
             "subgroup{labels}_gap=subgroups.agreement.gap*"},
        {
            part<&GapModel::name>({.name = "model"}),
            part({.name = "metrics", .keys = gap_metric_keys},
                 [](const GapModel& m) { return shown(m.metrics, false); }),
            part({.name = "subgroups"},
                 [](const GapModel& m) { return shown(m.subgroups, false); }),
            part({.name = "decomposition"},
                 [](const GapModel& m) {
                     return ShownDecomposition{&m.decomposition, {}};
                 }),
            part({.name = "ranks", .keys = gap_metric_keys, .inner_keys = gap_set_keys},
                 [](const GapModel& m) { return ranks_of(m); }),
            part<&GapModel::rank_change>(
                {.help = "Rank by top-1 less rank by ASMA, among the models that have both",
                 .keys = gap_set_keys}),
            part<&GapModel::rank_change_between>(
                {.help = "From the first data set to the second", .keys = gap_metric_keys}),
            part<&GapModel::differences>({}),
            part<&GapModel::not_scored>({.help = "Images without scores", .keys = gap_set_keys}),
        });
    return rows;
}

ResultType result_type(ResultOf<BetweenModels>) {
    static constexpr auto rows = describe_result<BetweenModels>(
        {.name = "GapSpread", .help = "How the models' gaps differ from one another, as seen"},
        {
            part<&BetweenModels::models>({}),
            part<&BetweenModels::sd>({.help = "Null for one model"}),
            part<&BetweenModels::min>({}),
            part<&BetweenModels::lower_quartile>({}),
            part<&BetweenModels::median>({}),
            part<&BetweenModels::upper_quartile>({}),
            part<&BetweenModels::max>({}),
            part<&BetweenModels::first>(
                {.help = "Standard deviation of these models' true values on the first data set, "
                         "without the images' errors"}),
            part<&BetweenModels::second>({.help = "The same on the second"}),
            part<&BetweenModels::gap>({.help = "The same of the gaps"}),
        });
    return rows;
}

ResultType result_type(ResultOf<GapWithinMargin>) {
    static constexpr auto rows = describe_result<GapWithinMargin>(
        {.name = "GapWithin", .help = "Models whose |gap| is below the margin"},
        {
            part<&GapWithinMargin::models>({}),
            part<&GapWithinMargin::within>({}),
            part<&GapWithinMargin::surely_within>({.help = "All models together"}),
            part<&GapWithinMargin::surely_outside>({.help = "All models together"}),
            part({.help = "Interval of the number of models that are within", .name = "low"},
                 [](const GapWithinMargin& w) { return w.low(); }),
            part({.name = "high"}, [](const GapWithinMargin& w) { return w.high(); }),
        });
    return rows;
}

ResultType result_type(ResultOf<GapAverage>) {
    static constexpr auto rows = describe_result<GapAverage>(
        {.name = "GapAverage"},
        {
            part({.name = "metrics", .keys = gap_metric_keys},
                 [](const GapAverage& a) { return shown(a.metrics, true); }),
            part({.name = "subgroups"},
                 [](const GapAverage& a) { return shown(a.subgroups, true); }),
            part({.name = "decomposition"},
                 [](const GapAverage& a) {
                     return ShownDecomposition{&a.decomposition, a.decomposition.models};
                 }),
            part<&GapAverage::between>({.name = "between_models", .keys = gap_metric_keys}),
            part<&GapAverage::within_margin>({.keys = gap_metric_keys}),
            part<&GapAverage::best>({.keys = gap_metric_keys, .inner_keys = gap_set_keys}),
            part<&GapAverage::differences>({.help = "Differences of the mean gaps"}),
        });
    return rows;
}

}  // namespace assay
