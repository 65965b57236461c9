#include <algorithm>

#include <fmt/format.h>

#include "assay/derived/calibrate.h"
#include "assay/describe_result.h"
#include "core/result_table.h"
#include "derived/described_derived.h"

namespace assay {

ResultType result_type(ResultOf<ClassScaling>) {
    static constexpr auto rows = describe_result<ClassScaling>(
        {.name = "ClassScaling", .help = "Factor and offset of a class's score"},
        {
            part<&ClassScaling::id>({}),
            part<&ClassScaling::name>({}),
            part<&ClassScaling::weight>({}),
            part<&ClassScaling::bias>({.help = "Undefined if the method does not use it"}),
        });
    return rows;
}

ResultType result_type(ResultOf<CalibratedStore>) {
    static constexpr auto rows = describe_result<CalibratedStore>(
        {.name = "CalibratedStore",
         .help = "A model's scores, scaled with numbers that were fitted on other items",
         .columns = "model,dataset,method,fitted_on,fit_items,items,temperature=temperature.value,"
                    "temperature_low=temperature.interval.low,"
                    "temperature_high=temperature.interval.high,nll_before=nll_before.value,"
                    "nll_after=nll_after.value,ece_before=ece_before.value,"
                    "ece_after=ece_after.value,store"},
        {
            part<&CalibratedStore::model>({}),
            part<&CalibratedStore::dataset>({.help = "The data set whose items are reported"}),
            part<&CalibratedStore::method>({}),
            part<&CalibratedStore::source>({.help = "The model's own scores"}),
            part<&CalibratedStore::store>({.help = "The scaled ones"}),
            part<&CalibratedStore::fitted_on>(
                {.help = "The data set, or the part of it, for the fit"}),
            part<&CalibratedStore::fit_items>({.help = "Items with scores and a single label"}),
            part<&CalibratedStore::items>({.help = "That are reported"}),
            part({.help = "Null if each class has its own scale", .name = "temperature"},
                 [](const CalibratedStore& s) {
                     return s.method == Scaling::temperature ? std::optional(s.temperature)
                                                             : std::nullopt;
                 }),
            part<&CalibratedStore::classes>(
                {.help = "Empty if one temperature scales all classes"}),
            part<&CalibratedStore::nll_before>({.help = "Metrics of the reported items"}),
            part<&CalibratedStore::nll_after>({}),
            part<&CalibratedStore::ece_before>({}),
            part<&CalibratedStore::ece_after>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<CalibrateResult>) {
    static constexpr auto rows =
        describe_result<CalibrateResult>({.name = "CalibrateResult",
                                          .help = "What `assay calibrate` prints",
                                          .schema = "assay.calibrate/1"},
                                         {
                                             part<&CalibrateResult::stores>({}),
                                             part<&CalibrateResult::warnings>({}),
                                         });
    return rows;
}

ResultType result_type(ResultOf<CalibrationLayer>) {
    static constexpr auto store = &CalibrationLayer::store;
    static constexpr auto rows = describe_result<CalibrationLayer>(
        {.name = "CalibrationLayer",
         .help = "What `assay calibrate --layer` writes: logits times `weights` plus `biases`",
         .schema = "assay.layer/1"},
        {
            part<store, &CalibratedStore::model>({}),
            part<store, &CalibratedStore::method>({}),
            part<store, &CalibratedStore::fitted_on>({}),
            part<store, &CalibratedStore::weights>({.help = "One number per class"}),
            part<store, &CalibratedStore::biases>({.help = "One number per class"}),
        });
    return rows;
}

namespace {

constexpr std::size_t shown_classes = 20;

Table stores_table(const CalibrateResult& result) {
    using Show = Column::Show;
    const bool temperatures = std::ranges::any_of(result.stores, [](const CalibratedStore& one) {
        return one.method == Scaling::temperature;
    });
    Table table;
    table.columns = {{"model", false}, {"dataset", false}};
    if (temperatures) table.columns.push_back({"temperature", true, Show::value_and_interval});
    for (const char* name : {"nll before", "nll after", "ece before", "ece after"})
        table.columns.push_back({name, true, Show::value_and_half});
    table.columns.push_back({"fitted"});
    table.columns.push_back({"items"});
    for (const CalibratedStore& one : result.stores) {
        std::vector<Cell> cells{one.model, one.dataset};
        if (temperatures) cells.emplace_back(one.temperature);
        for (const Estimate& estimate :
             {one.nll_before, one.nll_after, one.ece_before, one.ece_after})
            cells.emplace_back(estimate);
        cells.emplace_back(Count{one.fit_items});
        cells.emplace_back(Count{one.items});
        table.add(std::move(cells));
    }
    for (const CalibratedStore& one : result.stores)
        table.notes.push_back(fmt::format("{} of {}: {} scaling fitted on {}, written to {}",
                                          one.model, one.dataset, name_of(one.method),
                                          one.fitted_on, one.store.string()));
    return table;
}

Table classes_table(const CalibratedStore& one) {
    using Show = Column::Show;
    Table table;
    table.title = fmt::format("{} on {}", one.model, one.dataset);
    table.columns = {{"class", false}, {"weight", true, Show::value_and_interval}};
    const bool biased = one.method == Scaling::vector;
    if (biased) table.columns.push_back({"bias", true, Show::value_and_interval});
    for (std::size_t c = 0; c < std::min(shown_classes, one.classes.size()); ++c) {
        std::vector<Cell> cells{one.classes[c].name, one.classes[c].weight};
        if (biased) cells.emplace_back(one.classes[c].bias);
        table.add(std::move(cells));
    }
    if (one.classes.size() > shown_classes)
        table.notes.push_back(fmt::format("the first {} of {} classes; --json has all",
                                          shown_classes, one.classes.size()));
    return table;
}

}  // namespace

Report report_of(const CalibrateResult& result) {
    Report report;
    report.records = table_of(result.stores);
    std::vector<Block> blocks{stores_table(result)};
    for (const CalibratedStore& one : result.stores)
        if (!one.classes.empty()) blocks.emplace_back(classes_table(one));
    report.sections.push_back({.title = "", .blocks = std::move(blocks), .sections = {}});
    report.result = json_of(result);
    report.warnings = result.warnings;
    report.partial = result.refused > 0;
    return report;
}

std::string layer_text(const CalibratedStore& store) {
    return json_of(CalibrationLayer{&store}).dump(2) + "\n";
}

}  // namespace assay
