#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/replication/figures.h"
#include "replication/adjust_result.h"

namespace assay::replication {
namespace {

/// A classifier's accuracies: original, replication, and adjusted by each method.
struct ScatterPoint {
    MeasuredClassifier of;
};
ResultType result_type(ResultOf<ScatterPoint>) {
    using Of = ScatterPoint;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ScatterPoint"},
        {
            part(
                {.name = "name"}, [](const Of& o) -> const auto& {
                    return o.of.report->classifiers[o.of.classifier];
                }),
            part(
                {.name = "original"},
                [](const Of& o) -> const auto& { return o.of.report->first[o.of.classifier]; }),
            part(
                {.name = "replication"},
                [](const Of& o) -> const auto& { return o.of.report->second[o.of.classifier]; }),
            part({.help = "By method", .name = "adjusted"},
                 [](const Of& o) {
                     std::vector<std::pair<std::string, Estimate>> out;
                     for (const MethodResult& method : o.of.report->methods)
                         out.emplace_back(method.id, method.adjusted[o.of.classifier]);
                     return out;
                 }),
        });
    return rows;
}

std::vector<ScatterPoint> points_of(const AdjustReport& adjusted) {
    std::vector<ScatterPoint> out;
    for (std::size_t m = 0; m < adjusted.classifiers.size(); ++m) out.push_back({{&adjusted, m}});
    return out;
}

struct MethodLine {
    std::string_view method;
    const LineFit* line;
};
ResultType result_type(ResultOf<MethodLine>) {
    using Of = MethodLine;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MethodLine"},
        {
            part<&Of::method>({.help = "`none`: without adjustment"}),
            part(
                {.inlined = true}, [](const Of& o) -> const auto& { return *o.line; }),
        });
    return rows;
}

std::vector<MethodLine> lines_of(const AdjustReport& adjusted) {
    std::vector<MethodLine> out;
    if (adjusted.raw_line) out.push_back({"none", &*adjusted.raw_line});
    for (const MethodResult& method : adjusted.methods) {
        if (method.line) out.push_back({method.id, &*method.line});
    }
    return out;
}

struct MethodCurves {
    const MethodResult* method;
};
ResultType result_type(ResultOf<MethodCurves>) {
    using Of = MethodCurves;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MethodCurves", .help = "At the `rates` of the same object"},
        {
            part<&Of::method, &MethodResult::id>({.name = "method"}),
            part({.name = "density", .omitted = true},
                 [](const Of& o) {
                     const Drawing& drawing = o.method->drawing;
                     return numbers_of_sets(drawing.first_density, drawing.second_density);
                 }),
            part<&Of::method, &MethodResult::drawing, &Drawing::accuracy>(
                {.help = "By classifier", .omitted = true}),
            part<&Of::method, &MethodResult::drawing, &Drawing::accuracy_low>(
                {.help = "Ends of the intervals of `pl`", .omitted = true}),
            part<&Of::method, &MethodResult::drawing, &Drawing::accuracy_high>({.omitted = true}),
        });
    return rows;
}

std::vector<MethodCurves> curves_of(const AdjustReport& adjusted) {
    std::vector<MethodCurves> out;
    for (const MethodResult& method : adjusted.methods) {
        if (!method.drawing.first_density.empty() || !method.drawing.accuracy.empty())
            out.push_back({&method});
    }
    return out;
}

/// One value of the halves, if their difference exists.
std::optional<double> halved(const FigureHalves& halves, double FigureHalves::*value) {
    return halves.difference.value ? std::optional(halves.*value) : std::nullopt;
}

}  // namespace

ResultType result_type(ResultOf<FigurePoint>) {
    using Of = FigurePoint;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AnnotatorsRow",
         .help =
             "Estimates with this number of annotators, averaged over the choice of annotators"},
        {
            part<&Of::annotators>({}),
            part<&Of::result, &MethodResult::id>({.name = "method"}),
            part<&Of::result, &MethodResult::definition>({}),
            part<&Of::result, &MethodResult::mean_adjusted>(
                {.help = "Mean over classifiers", .name = "adjusted"}),
            part<&Of::result, &MethodResult::mean_gap, &GapParts::remaining>({}),
            part<&Of::result, &MethodResult::mean_gap, &GapParts::bias>({.name = "selection_bias"}),
            part<&Of::result, &MethodResult::line>({}),
            part<&Of::result, &MethodResult::notes>({.omitted = true}),
            part<&Of::result, &MethodResult::adjusted>(
                {.help = "Adjusted accuracies", .name = "classifiers"}),
        });
    return rows;
}

ResultType result_type(ResultOf<FigureBin>) {
    static constexpr auto rows = describe_result<FigureBin>(
        {.name = "ReadingsBin"},
        {
            part<&FigureBin::images>({.help = "Proportion of the set's images"}),
            part<&FigureBin::accuracy>({.help = "Mean over classifiers"}),
        });
    return rows;
}

ResultType result_type(ResultOf<FigureReadings>) {
    using Of = FigureReadings;
    static constexpr auto rows =
        describe_result<Of>({.name = "ReadingsRow",
                             .help = "Images that 0, 1, ... of this number of annotators select"},
                            {
                                part<&Of::annotators>({}),
                                part<&Of::first>({.name = "original"}),
                                part<&Of::second>({.name = "replication"}),
                            });
    return rows;
}

ResultType result_type(ResultOf<FigureHalves>) {
    using Of = FigureHalves;
    static constexpr auto rows = describe_result<Of>(
        {.name = "HalvesPoint", .help = "The gap that remains, in halves of the study"},
        {
            part<&Of::annotators>({}),
            part<&Of::method>({}),
            part<&Of::difference>({.name = "halves_minus_whole"}),
            part({.name = "whole", .omitted = true},
                 [](const Of& o) { return halved(o, &Of::whole); }),
            part({.name = "halves", .omitted = true},
                 [](const Of& o) { return halved(o, &Of::halves); }),
            part({.help = "Standard error of the whole gap, from the difference of two halves",
                  .name = "standard_error_by_halves",
                  .omitted = true},
                 [](const Of& o) { return halved(o, &Of::error_by_halves); }),
        });
    return rows;
}

ResultType result_type(ResultOf<ReplicateFigures>) {
    using Of = ReplicateFigures;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ReplicateFigures",
         .help = "The file of `assay replicate adjust --figures`",
         .schema = "assay.replicate_figures/1"},
        {
            part<&Of::adjusted, &AdjustReport::quoted>(
                {.help = "Id of the method that the verdict uses"}),
            part<&Of::adjusted, &AdjustReport::classifiers>({}),
            part<&Of::adjusted, &AdjustReport::units>(
                {.help = "Independent units of the intervals: classes or images"}),
            part({.name = "classifiers", .group = "scatter"},
                 [](const Of& o) { return points_of(*o.adjusted); }),
            part({.name = "lines", .group = "scatter"},
                 [](const Of& o) { return lines_of(*o.adjusted); }),
            part({.help = "Selection rates", .name = "rates", .group = "curves"},
                 [](const Of&) { return drawing_rates(); }),
            part({.name = "methods", .group = "curves"},
                 [](const Of& o) { return curves_of(*o.adjusted); }),
            part<&Of::data, &FigureData::annotators>(
                {.help = "Every number of annotators, every method"}),
            part<&Of::data, &FigureData::parts>({.help = "Mixtures by their number of parts"}),
            part<&Of::data, &FigureData::readings>({}),
            part({.help = "Why there is no such figure",
                  .name = "undefined",
                  .group = "halves",
                  .omitted = true},
                 [](const Of& o) {
                     return o.data->halves.empty() ? o.data->without_halves : std::string();
                 }),
            part({.help = "Random splits into halves",
                  .name = "splits",
                  .group = "halves",
                  .omitted = true},
                 [](const Of& o) {
                     return o.data->halves.empty() ? std::nullopt : std::optional(o.data->splits);
                 }),
            part<&Of::data, &FigureData::halves>(
                {.name = "points", .group = "halves", .omitted = true}),
            part<&Of::data, &FigureData::first_accuracy>(
                {.help = "Values with all annotators, by classifier, then by number of selections",
                 .name = "original",
                 .group = "readings_by_classifier"}),
            part<&Of::data, &FigureData::second_accuracy>(
                {.name = "replication", .group = "readings_by_classifier"}),
            part({.help = "Proportions of images that the densities of `pl` imply",
                  .name = "fitted_readings",
                  .omitted = true},
                 [](const Of& o) {
                     return numbers_of_sets(o.data->first_fitted, o.data->second_fitted);
                 }),
        });
    return rows;
}

}  // namespace assay::replication
