#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/describe_result.h"
#include "assay/slices/slices.h"
#include "core/result_table.h"
#include "core/text.h"
#include "slices/cluster_test.h"
#include "slices/described_slices.h"
#include "slices/search.h"

namespace assay {

using slices::FoundSlice;
using slices::SliceCondition;
using slices::SlicedModel;
using slices::SliceFacet;
using slices::SliceResult;

ResultType result_type(ResultOf<SliceFacet>) {
    using Of = SliceFacet;
    static constexpr auto rows = describe_result<Of>(
        {.name = "SliceFacet", .help = "One way in which images are divided into slices"},
        {part<&Of::dataset>({}),
         part<&Of::by>({.help = "`camera`, `brightness`, `number of labels`, `label`"}),
         part<&Of::kind>({.help = "`attribute`; `quartiles` of an attribute; `image`: quartiles of "
                                  "a statistic of the pixels; `labels`; `class`"}),
         part<&Of::values>({.help = "Number of different values"}),
         part<&Of::without>({.help = "Images that have none"})});
    return rows;
}

ResultType result_type(ResultOf<SliceCondition>) {
    using Of = SliceCondition;
    static constexpr auto rows =
        describe_result<Of>({.name = "SliceCondition"}, {part<&Of::by>({}), part<&Of::value>({})});
    return rows;
}

ResultType result_type(ResultOf<FoundSlice>) {
    using Of = FoundSlice;
    static constexpr auto rows = describe_result<Of>(
        {.name = "FoundSlice",
         .columns = "model,dataset,slice=name,images,incorrect,n=accuracy.n,"
                    "accuracy=accuracy.value,low=accuracy.interval.low,"
                    "high=accuracy.interval.high,rest=rest.value,p,screened"},
        {part<&Of::model>({}), part<&Of::dataset>({}),
         part<&Of::name>({.help = "`camera=b,brightness=0.1 to 0.3`"}),
         part<&Of::conditions>({.help = "One or two; an image of the slice meets all"}),
         part<&Of::images>({.help = "Of both halves"}),
         part<&Of::incorrect>({.help = "Of these, those whose prediction is incorrect"}),
         part<&Of::accuracy>({.help = "On the second half"}),
         part<&Of::rest>({.help = "Accuracy of all other images of the second half"}),
         part<&Of::clusters>({.help = "Of both halves, with `--cluster`", .omitted = true}),
         part<&Of::p>({.help = "On the second half, with Holm's correction"}),
         part<&Of::screened>(
             {.help = "On the first half, with Benjamini and Hochberg's correction"}),
         part<&Of::examples>({.help = "Incorrect images, the most confident errors first"})});
    return rows;
}

ResultType result_type(ResultOf<SlicedModel>) {
    using Of = SlicedModel;
    static constexpr auto rows = describe_result<Of>(
        {.name = "SlicedModel"},
        {part<&Of::model>({}), part<&Of::dataset>({}),
         part<&Of::first>({.help = "Images of the first half, which selects slices"}),
         part<&Of::second>({.help = "Images of the second half, which confirms them"}),
         part<&Of::accuracy>({.help = "On the second half"}),
         part<&Of::tested>({.help = "Slices that are large enough in both halves"}),
         part<&Of::few_clusters>({.help = "With `--cluster`: slices with enough images that are "
                                          "not tested, because there are too few clusters",
                                  .omitted = true}),
         part<&Of::selected>({.help = "Slices that the first half selects"}),
         part<&Of::found>({.help = "Slices that the second half confirms, the smallest p first"})});
    return rows;
}

ResultType result_type(ResultOf<SliceResult>) {
    using Of = SliceResult;
    static constexpr auto rows = describe_result<Of>(
        {.name = "SliceResult", .help = "What `assay slices` prints", .schema = "assay.slices/1"},
        {part<&Of::level>({.help = "Level of the intervals and of the confirmation"}),
         part<&Of::seed>({.help = "Of the halves"}),
         part<&Of::cluster>(
             {.help = "Images with one value of this attribute are alike", .omitted = true}),
         part<&Of::facets>({.help = "Without `predicted`, which each model has of its own"}),
         part<&Of::models>({}),
         part<&Of::not_scored>({.help = "Images without scores, which are skipped"}),
         part<&Of::notes>({}), part<&Of::warnings>({})});
    return rows;
}

namespace slices {
namespace {

Table slice_table(const SlicedModel& model, std::uint64_t top) {
    Table table;
    table.title = fmt::format(
        "{} on {}: {} than the rest", model.model, model.dataset,
        model.found.size() == 1
            ? "1 slice is less accurate"
            : fmt::format("{} slices are less accurate", count_text(model.found.size())));
    table.columns = {{"slice", false},
                     {"images", true},
                     {"accuracy %", true, Column::Show::value_and_interval},
                     {"rest %", true},
                     {"p", true}};
    const bool examples = std::ranges::any_of(
        model.found, [](const FoundSlice& one) { return !one.examples.empty(); });
    if (examples) table.columns.push_back({"incorrect, for example", false});
    const std::size_t shown = std::min<std::size_t>(model.found.size(), top);
    for (std::size_t i = 0; i < shown; ++i) {
        const FoundSlice& one = model.found[i];
        std::vector<Cell> cells = {one.name, Count{one.images}, one.accuracy, one.rest,
                                   PValue{one.p}};
        if (examples) cells.emplace_back(fmt::format("{}", fmt::join(one.examples, " ")));
        table.add(std::move(cells));
    }
    if (shown < model.found.size())
        table.notes.push_back(fmt::format(
            "{} more: --top {}", count_text(model.found.size() - shown), model.found.size()));
    return table;
}

std::string tests_of(const SlicedModel& model) {
    std::string text =
        fmt::format("{} {} tested on {} images, {} of them tested again on {} others",
                    count_text(model.tested), model.tested == 1 ? "slice" : "slices",
                    count_text(model.first), count_text(model.selected), count_text(model.second));
    if (model.few_clusters.value_or(0) > 0)
        text += fmt::format("; {} not tested, because a slice and the others need {} clusters each",
                            how_many(*model.few_clusters, "slice"), fewest_slice_clusters);
    return text;
}

/// What a slice needs in each half.
std::string needs_of(const SlicedModel& model) {
    return model.few_clusters
               ? fmt::format("{} images of {} clusters", fewest_slice_images, fewest_slice_clusters)
               : fmt::format("{} images", fewest_slice_images);
}

/// Names the facets of tested slices; "" if none was tested. Attributes are counted where naming
/// all would take several lines.
std::string facets_text(const SliceResult& result) {
    constexpr std::size_t most_named = 8;
    std::vector<std::string> attributes, others;
    for (const SliceFacet& facet : result.facets) {
        if (!facet.used) continue;
        const bool own = facet.kind == "attribute" || facet.kind == "quartiles";
        std::vector<std::string>& names = own ? attributes : others;
        if (std::ranges::find(names, facet.by) == names.end()) names.push_back(facet.by);
    }
    if (attributes.size() > most_named)
        attributes = {fmt::format("{} attributes", attributes.size())};
    attributes.insert(attributes.end(), others.begin(), others.end());
    if (std::ranges::any_of(result.models, &SlicedModel::by_predicted))
        attributes.emplace_back("predicted class");
    if (attributes.empty()) return "";
    const bool pairs = std::ranges::any_of(result.models, &SlicedModel::by_pairs);
    return fmt::format("slices are by {}{}", fmt::join(attributes, ", "),
                       pairs ? ", and by pairs of these" : "");
}

}  // namespace

Report report_of(const SliceResult& result) {
    Report report;
    report.records = result_table<FoundSlice>();
    Section section;
    for (const SlicedModel& model : result.models) {
        for (const FoundSlice& one : model.found) add_row(report.records, one);
        if (model.tested == 0) {
            section.blocks.emplace_back(
                fmt::format("{} on {}: no slice is large enough to test; it needs {} in each half, "
                            "and so do the others",
                            model.model, model.dataset, needs_of(model)));
            continue;
        }
        if (model.found.empty()) {
            section.blocks.emplace_back(
                fmt::format("{} on {}: no slice is less accurate than the rest ({})", model.model,
                            model.dataset, tests_of(model)));
            continue;
        }
        Table table = slice_table(model, result.top);
        table.notes.push_back(tests_of(model) +
                              "; accuracies are those on the others, and p has Holm's correction");
        section.blocks.emplace_back(std::move(table));
    }
    std::vector<std::string> notes;
    if (std::string text = facets_text(result); !text.empty()) notes.push_back(std::move(text));
    notes.insert(notes.end(), result.notes.begin(), result.notes.end());
    for (std::string& note : notes) section.blocks.emplace_back(std::move(note));
    report.sections.push_back(std::move(section));
    report.result = json_of(result);
    report.warnings = result.warnings;
    report.partial = result.not_scored > 0;
    return report;
}

}  // namespace slices
}  // namespace assay
