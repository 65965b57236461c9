// Descriptions of the gap between two data sets.
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/gap/gap_result.h"

namespace assay {
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
            part<set, &GapDataSet::more>({.help = "Images with more labels than those"}),
            part<set, &GapDataSet::none>({.help = "Images without a valid label"}),
            part<set, &GapDataSet::unnamed>(
                {.help = "Of these, images that the file of label sets does not name"}),
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
        {.name = "GapDataSet", .help = "The published table: its name and what it counts"},
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
                {.help = "As requested: `2,3,4,6,9`", .omitted = true}),
            part<&ShownAlso::models>({}),
            part({.help = "For a pattern of names: the values of each data set and their spread",
                  .name = "means",
                  .omitted = true},
                 [](const ShownAlso& s) {
                     return s.also->means.empty() ? nullptr : &s.also->means;
                 }),
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
            part<place, &GapRanking::Place::change>({.help = "Number of places gained"}),
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
         .help = "The same models on two data sets, with three definitions of a correct prediction",
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
            part<&GapReport::model_correlation>({.help = "For a table: the assumed correlation of "
                                                         "two models' errors on the same images",
                                                 .group = "options",
                                                 .omitted = true}),
            part<&GapReport::metric_correlation>(
                {.help = "For a table: the assumed correlation of two metrics' errors",
                 .group = "options",
                 .omitted = true}),
            part<&GapReport::average>({}),
            part<&GapReport::models>({.help = "Sorted by top-1 on the first data set"}),
            part<&GapReport::orders>({}),
            part<&GapReport::lines>({}),
            part(
                {.help = "The lines on the requested scale",
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
            part<&GapReport::groups>(
                {.help = "With `--by`: of each model, `top1`, `real`, or both", .omitted = true}),
            part<&GapReport::warnings>({}),
        });
    return rows;
}

nlohmann::json to_json(const GapReport& report) {
    return json_of(report);
}

}  // namespace assay
