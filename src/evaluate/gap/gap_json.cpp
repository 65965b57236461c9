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
            part<&ShownPair::gap>({.help = "First minus second: above 0 where models fall"}),
            part<&ShownPair::absolute_gap>(
                {.help = "Of averages: the mean of |gap| of these models"}),
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
                {.help = "Because the images have other numbers of labels"}),
            part<gap, &GapDecomposition::within>({.help = "What remains of the gap"}),
            part<gap, &GapDecomposition::unmatched>(
                {.help = "Part of the composition: numbers of labels that one data set lacks"}),
            part<gap, &GapDecomposition::explained>(
                {.help = "Composition by gap; undefined where the gap's interval holds 0"}),
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

/// Nothing where a value is undefined, and not ranked.
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
             "top1_rank_v1=ranks.top1.first.rank,top1_rank_v2=ranks.top1.second.rank,"
             "real_rank_v1=ranks.real.first.rank,real_rank_v2=ranks.real.second.rank,"
             "asma_rank_v1=ranks.asma.first.rank,asma_rank_v2=ranks.asma.second.rank,"
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
            part<&GapWithinMargin::surely_within>({.help = "All of them together"}),
            part<&GapWithinMargin::surely_outside>({.help = "All of them together"}),
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
            part<&GapAverage::differences>({.help = "Of the mean gaps"}),
        });
    return rows;
}

namespace {

struct LabelledImages {
    std::size_t labels;
    std::uint64_t images;
};
ResultType result_type(ResultOf<LabelledImages>) {
    static constexpr auto rows = describe_result<LabelledImages>(
        {.name = "LabelledImages"},
        {part<&LabelledImages::labels>({}), part<&LabelledImages::images>({})});
    return rows;
}

struct GapHistogram {
    const GapDataSet* set;

    std::vector<LabelledImages> labels() const {
        std::vector<LabelledImages> out;
        for (const std::uint64_t images : set->with_labels) out.push_back({out.size() + 1, images});
        return out;
    }
};
ResultType result_type(ResultOf<GapHistogram>) {
    static constexpr auto set = &GapHistogram::set;
    static constexpr auto rows = describe_result<GapHistogram>(
        {.name = "GapHistogram", .help = "Images by their number of valid labels"},
        {
            part<&GapHistogram::labels>({}),
            part<set, &GapDataSet::more>({.help = "With more labels than those"}),
            part<set, &GapDataSet::none>({.help = "Without a valid label"}),
            part<set, &GapDataSet::unnamed>(
                {.help = "Of these: not named by the file of label sets"}),
        });
    return rows;
}

struct ShownSet {
    const GapDataSet* set;
    bool stores;
};
ResultType result_type(ResultOf<ShownSet>) {
    static constexpr auto set = &ShownSet::set;
    static constexpr auto rows = describe_result<ShownSet>(
        {.name = "GapDataSet", .help = "Of a published table with its name and what it counts"},
        {
            part<set, &GapDataSet::name>({}),
            part<set, &GapDataSet::only_here>({.help = "Models that the other data set lacks"}),
            part({.name = "images", .omitted = true},
                 [](const ShownSet& s) { return s.stores ? &s.set->images : nullptr; }),
            part({.help = "Images of top-1", .name = "single", .omitted = true},
                 [](const ShownSet& s) {
                     return s.stores || s.set->single > 0 ? &s.set->single : nullptr;
                 }),
            part({.help = "Labels are the only valid classes of the images",
                  .name = "only_valid",
                  .omitted = true},
                 [](const ShownSet& s) { return s.stores ? &s.set->only_valid : nullptr; }),
            part({.name = "histogram", .omitted = true},
                 [](const ShownSet& s) {
                     return s.stores ? std::optional(GapHistogram{s.set}) : std::nullopt;
                 }),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<BoxNumbers>) {
    static constexpr auto rows = describe_result<BoxNumbers>(
        {.name = "BoxNumbers", .help = "Quartiles of type 7 and Tukey's whiskers"},
        {
            part<&BoxNumbers::low_whisker>({}),
            part<&BoxNumbers::lower_quartile>({}),
            part<&BoxNumbers::median>({}),
            part<&BoxNumbers::upper_quartile>({}),
            part<&BoxNumbers::high_whisker>({}),
            part<&BoxNumbers::outliers>({.help = "Indices into the points"}),
        });
    return rows;
}

ResultType result_type(ResultOf<GapBox>) {
    static constexpr auto rows = describe_result<GapBox>(
        {.name = "GapBox"}, {
                                part<&GapBox::labels>({}),
                                part({.name = "set", .script = gap_set_type},
                                     [](const GapBox& box) { return set_key(box.set); }),
                                part<&GapBox::points>({.help = "In the order of the models"}),
                                part<&GapBox::box>({.omitted = true}),
                            });
    return rows;
}

namespace {

struct AlsoModel {
    const std::string* model;
    const std::array<Estimate, 3>* metrics;
};
ResultType result_type(ResultOf<AlsoModel>) {
    static constexpr auto metric = [](const AlsoModel& m, GapMetric which) -> const Estimate& {
        return (*m.metrics)[static_cast<std::size_t>(which)];
    };
    static constexpr auto rows = describe_result<AlsoModel>(
        {.name = "GapAlsoModel"},
        {
            part({.name = "model"},
                 [](const AlsoModel& m) -> const std::string& { return *m.model; }),
            part({.name = "top1"},
                 [](const AlsoModel& m) -> const Estimate& { return metric(m, GapMetric::top1); }),
            part({.name = "real"},
                 [](const AlsoModel& m) -> const Estimate& { return metric(m, GapMetric::real); }),
            part({.name = "asma"},
                 [](const AlsoModel& m) -> const Estimate& { return metric(m, GapMetric::asma); }),
        });
    return rows;
}

struct ShownAlso {
    const GapReport* report;
    const GapAlso* also;

    std::vector<AlsoModel> models() const {
        std::vector<AlsoModel> out;
        for (const auto& metrics : also->models)
            out.push_back({&report->models[out.size()].name, &metrics});
        return out;
    }
};
ResultType result_type(ResultOf<ShownAlso>) {
    static constexpr auto rows = describe_result<ShownAlso>(
        {.name = "GapAlso", .help = "A further data set of the same models"},
        {
            part<&ShownAlso::also, &GapAlso::name>({}),
            part<&ShownAlso::also, &GapAlso::subgroups>(
                {.help = "As it was asked for: `2,3,4,6,9`", .omitted = true}),
            part<&ShownAlso::models>({}),
        });
    return rows;
}

struct ShownPlace {
    const GapReport* report;
    GapRanking::Place place;

    const std::string& model() const { return report->models[place.model].name; }
};
ResultType result_type(ResultOf<ShownPlace>) {
    static constexpr auto place = &ShownPlace::place;
    static constexpr auto rows = describe_result<ShownPlace>(
        {.name = "GapPlace"},
        {
            part<&ShownPlace::model>({}),
            part<place, &GapRanking::Place::rank>({}),
            part<place, &GapRanking::Place::against>({.help = "Rank by the other column"}),
            part<place, &GapRanking::Place::change>({.help = "So many places up"}),
        });
    return rows;
}

struct ShownRanking {
    const GapReport* report;

    const GapRanking& ranking() const { return *report->ranking; }
    std::vector<ShownPlace> places() const {
        std::vector<ShownPlace> out;
        for (const GapRanking::Place& place : ranking().places) out.push_back({report, place});
        return out;
    }
};
ResultType result_type(ResultOf<ShownRanking>) {
    static constexpr auto rows = describe_result<ShownRanking>(
        {.name = "GapRanking"},
        {
            part(
                {.help = "A column of csv", .name = "by"},
                [](const ShownRanking& r) -> const auto& { return r.ranking().by; }),
            part(
                {.name = "against"},
                [](const ShownRanking& r) -> const auto& { return r.ranking().against; }),
            part({.name = "ties", .script = R"("standard" | "dense")"},
                 [](const ShownRanking& r) { return r.ranking().dense ? "dense" : "standard"; }),
            part<&ShownRanking::places>({}),
        });
    return rows;
}

std::vector<ShownAlso> also_of(const GapReport& report) {
    std::vector<ShownAlso> out;
    for (const GapAlso& also : report.also) out.push_back({&report, &also});
    return out;
}

ShownSet set_of(const GapReport& report, std::size_t set) {
    return {&report.sets[set], report.source == "stores"};
}

}  // namespace

ResultType result_type(ResultOf<GapReport>) {
    static constexpr auto options = &GapReport::options;
    static constexpr auto rows = describe_result<GapReport>(
        {.name = "GapResult",
         .help = "The same models on two data sets, by three definitions of a correct prediction",
         .schema = "assay.gap/3"},
        {
            part<&GapReport::source>({.help = "`stores`, or the file of published values"}),
            part({.name = "first"}, [](const GapReport& r) { return set_of(r, 0); }),
            part({.name = "second"}, [](const GapReport& r) { return set_of(r, 1); }),
            part<&GapReport::subgroups>({.group = "options"}),
            part({.help = "Every number of labels that both data sets have",
                  .name = "present",
                  .group = "options"},
                 [](const GapReport& r) {
                     return r.options.subgroups.find("present") != std::string::npos;
                 }),
            part<options, &GapOptions::pooled_above>({.group = "options"}),
            part<options, &GapOptions::agreement>({.group = "options"}),
            part<options, &GapOptions::margin>({.group = "options"}),
            part<options, &GapOptions::level>({.group = "options"}),
            part<options, &GapOptions::replicates>({.group = "options"}),
            part<options, &GapOptions::seed>({.group = "options"}),
            part<options, &GapOptions::scale>({.group = "options"}),
            part<&GapReport::model_correlation>(
                {.help = "Of a table: what was taken of two models' errors on the same images",
                 .group = "options",
                 .omitted = true}),
            part<&GapReport::metric_correlation>(
                {.help = "Of a table: what was taken of two metrics' errors",
                 .group = "options",
                 .omitted = true}),
            part<&GapReport::average>({}),
            part<&GapReport::models>({.help = "By top-1 on the first data set"}),
            part<&GapReport::orders>({}),
            part<&GapReport::lines>({}),
            part(
                {.help = "The lines on the scale that was asked for",
                 .name = "scaled_lines",
                 .omitted = true},
                [](const GapReport& r) -> const auto& { return r.scaled_lines; }),
            part<&GapReport::boxes>({}),
            part<&GapReport::best>({.help = "Indices into `models`", .keys = gap_set_keys}),
            part<&GapReport::marked>({.help = "Indices into `models`"}),
            part({.name = "also", .omitted = true}, [](const GapReport& r) { return also_of(r); }),
            part({.name = "ranking", .omitted = true},
                 [](const GapReport& r) {
                     return r.ranking ? std::optional(ShownRanking{&r}) : std::nullopt;
                 }),
            part<&GapReport::warnings>({}),
        });
    return rows;
}

nlohmann::json to_json(const GapReport& report) {
    return json_of(report);
}

}  // namespace assay
