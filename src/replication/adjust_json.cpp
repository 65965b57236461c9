#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/replication/npmle.h"
#include "assay/replication/steps.h"
#include "replication/adjust_result.h"
#include "replication/step_tables.h"

namespace assay::replication {

ResultType result_type(ResultOf<GapParts>) {
    static constexpr auto rows = describe_result<GapParts>(
        {.name = "GapParts", .help = "gap = selection_bias + remaining"},
        {
            part<&GapParts::gap>({}),
            part<&GapParts::remaining>(
                {.help = "Gap that remains with images as easy to select as the original's"}),
            part<&GapParts::bias>({.name = "selection_bias"}),
        });
    return rows;
}

ResultType result_type(ResultOf<LineFit>) {
    static constexpr auto rows = describe_result<LineFit>(
        {.name = "ReplicateLine", .help = "Line of the replication's accuracy on the original's"},
        {
            part<&LineFit::slope>({}),
            part<&LineFit::intercept>({}),
            part<&LineFit::residual>({.help = "Root mean square"}),
            part<&LineFit::covariance>(
                {.help = "Covariance of slope and intercept", .omitted = true}),
        });
    return rows;
}

namespace {

struct BlindSpotsOf {
    const BlindSpots* spots;
    std::size_t classifier;
};
ResultType result_type(ResultOf<BlindSpotsOf>) {
    static constexpr auto rows = describe_result<BlindSpotsOf>(
        {.name = "ReplicateBlindSpots",
         .help = "What the estimate would miss of a 10-point jump of the accuracy curve"},
        {
            part({.help = "The jump is at a selection rate of .98", .name = "jump_at_98"},
                 [](const BlindSpotsOf& s) { return s.spots->top_jump[s.classifier]; }),
            part({.help = "The jump is at the selection rate at which it would miss most",
                  .name = "worst_jump"},
                 [](const BlindSpotsOf& s) { return s.spots->worst_jump[s.classifier]; }),
            part({.name = "worst_jump_rate"},
                 [](const BlindSpotsOf& s) { return s.spots->worst_rate[s.classifier]; }),
            part({.help = "Adjusted accuracy with `moments` minus that with this method",
                  .name = "moments_less_pl",
                  .omitted = true},
                 [](const BlindSpotsOf& s) {
                     const std::vector<double>& of = s.spots->companion_difference;
                     return s.classifier < of.size() ? std::optional(of[s.classifier])
                                                     : std::nullopt;
                 }),
        });
    return rows;
}

/// Returns no value if the method has none for the classifier.
template <class T>
const T* value_of(const std::vector<T>& values, std::size_t classifier) {
    return classifier < values.size() ? &values[classifier] : nullptr;
}

}  // namespace

ResultType result_type(ResultOf<AdjustedClassifier>) {
    using Of = AdjustedClassifier;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AdjustedClassifier",
         .columns = "classifier=name,method,definition,original=original.value,"
                    "replication=replication.value,adjusted=adjusted.value,"
                    "standard_error=adjusted.standard_error,low=adjusted.interval.low,"
                    "high=adjusted.interval.high,level=adjusted.interval.level,"
                    "interval=adjusted.interval.method,gap=gap.gap.value,"
                    "remaining=gap.remaining.value,"
                    "remaining_standard_error=gap.remaining.standard_error,"
                    "selection_bias=gap.selection_bias.value,"
                    "selection_bias_standard_error=gap.selection_bias.standard_error,"
                    "jump_at_98=blind_spots.jump_at_98,worst_jump=blind_spots.worst_jump,"
                    "worst_jump_rate=blind_spots.worst_jump_rate,"
                    "moments_less_pl=blind_spots.moments_less_pl"},
        {
            part(
                {.name = "name"},
                [](const Of& o) -> const auto& { return o.report->classifiers[o.classifier]; }),
            part<&Of::method, &MethodResult::id>({.name = "method", .only_csv = true}),
            part<&Of::method, &MethodResult::definition>({.only_csv = true}),
            part(
                {.name = "original", .only_csv = true},
                [](const Of& o) -> const auto& { return o.report->first[o.classifier]; }),
            part(
                {.name = "replication", .only_csv = true},
                [](const Of& o) -> const auto& { return o.report->second[o.classifier]; }),
            part(
                {.name = "adjusted"},
                [](const Of& o) -> const auto& { return o.method->adjusted[o.classifier]; }),
            part(
                {.name = "gap"},
                [](const Of& o) -> const auto& { return o.method->gaps[o.classifier]; }),
            part({.name = "blind_spots", .omitted = true},
                 [](const Of& o) {
                     const std::optional<BlindSpots>& spots = o.method->blind_spots;
                     return spots ? std::optional(BlindSpotsOf{&*spots, o.classifier})
                                  : std::nullopt;
                 }),
            part({.help = "For `moments`: coefficients of the rate to the power of each exponent",
                  .name = "curve",
                  .omitted = true},
                 [](const Of& o) { return value_of(o.method->curves, o.classifier); }),
            part({.help = "Values at the result's `rates`",
                  .name = "accuracy_at_rate",
                  .omitted = true},
                 [](const Of& o) { return value_of(o.method->drawing.accuracy, o.classifier); }),
            part(
                {.help = "Lower ends of its intervals at these rates, of `pl`",
                 .name = "accuracy_at_rate_low",
                 .omitted = true},
                [](const Of& o) { return value_of(o.method->drawing.accuracy_low, o.classifier); }),
            part({.name = "accuracy_at_rate_high", .omitted = true},
                 [](const Of& o) {
                     return value_of(o.method->drawing.accuracy_high, o.classifier);
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<NumbersOfSets>) {
    static constexpr auto rows = describe_result<NumbersOfSets>(
        {.name = "NumbersOfSets"},
        {part<&NumbersOfSets::original>({}), part<&NumbersOfSets::replication>({})});
    return rows;
}

std::optional<NumbersOfSets> numbers_of_sets(const std::vector<double>& original,
                                             const std::vector<double>& replication) {
    if (original.empty()) return std::nullopt;
    return NumbersOfSets{original, replication};
}

ResultType result_type(ResultOf<MeasuredClassifier>) {
    using Of = MeasuredClassifier;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MeasuredClassifier"},
        {
            part(
                {.name = "name"},
                [](const Of& o) -> const auto& { return o.report->classifiers[o.classifier]; }),
            part(
                {.name = "original"},
                [](const Of& o) -> const auto& { return o.report->first[o.classifier]; }),
            part(
                {.name = "replication"},
                [](const Of& o) -> const auto& { return o.report->second[o.classifier]; }),
            part({.help = "Spread of the adjusted accuracy over sets of exponents",
                  .name = "sensitivity",
                  .omitted = true},
                 [](const Of& o) {
                     const double* spread = value_of(o.report->sensitivity, o.classifier);
                     return spread != nullptr ? std::optional(*spread) : std::nullopt;
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<BlindSpots>) {
    static constexpr auto rows = describe_result<BlindSpots>(
        {.name = "ReplicateHighRates"},
        {
            part<&BlindSpots::rate_99>({.help = "Percentile of the replication's selection rates",
                                        .name = "replication_99th_percentile"}),
            part<&BlindSpots::above_99>(
                {.help = "Proportion of the original's images", .name = "original_above_it"}),
        });
    return rows;
}

namespace {

/// Writes a method that is defined.
struct MethodOf {
    const AdjustReport* report;
    const MethodResult* method;
};

std::vector<AdjustedClassifier> classifiers_of(const MethodOf& of) {
    std::vector<AdjustedClassifier> out;
    for (std::size_t i = 0; i < of.report->classifiers.size(); ++i)
        out.push_back({of.report, of.method, i});
    return out;
}

ResultType result_type(ResultOf<MethodOf>) {
    using Of = MethodOf;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AdjustEstimates", .help = "Result of one method"},
        {
            part({.help = "When the method is exact", .name = "exact_for"},
                 [](const Of& o) { return exact_for(o.method->id); }),
            part<&Of::method, &MethodResult::mean_adjusted>({.name = "adjusted", .group = "mean"}),
            part<&Of::method, &MethodResult::mean_gap>({.name = "gap", .group = "mean"}),
            part<&Of::method, &MethodResult::line>(
                {.help = "Of the adjusted accuracies; null for one classifier"}),
            part<&Of::method, &MethodResult::covered>(
                {.help = "Proportion of the original's selection frequencies that the replication "
                         "has, too"}),
            part<&Of::method, &MethodResult::outside>(
                {.help = "Classifiers with an adjusted accuracy outside 0 to 1"}),
            part<&Of::method, &MethodResult::wide_intervals>(
                {.help = "Classifiers whose bootstrap interval is too wide to be useful",
                 .omitted = true}),
            part<&Of::method, &MethodResult::exponents>({.omitted = true}),
            part<&Of::method, &MethodResult::weights>(
                {.help = "Weight of each reading of the replication", .omitted = true}),
            part<&Of::method, &MethodResult::notes>({.omitted = true}),
            part<&Of::method, &MethodResult::details>(
                {.help = "Parameters of the fitted densities and curves",
                 .script = "Record<string, unknown>",
                 .omitted = true}),
            part({.help = "The density at the result's `rates`, without point masses",
                  .name = "density",
                  .omitted = true},
                 [](const Of& o) {
                     const Drawing& drawing = o.method->drawing;
                     return numbers_of_sets(drawing.first_density, drawing.second_density);
                 }),
            part<&Of::method, &MethodResult::blind_spots>({.omitted = true}),
            part({.name = "classifiers"}, [](const Of& o) { return classifiers_of(o); }),
        });
    return rows;
}

struct AnyMethodOf {
    const AdjustReport* report;
    const MethodResult* method;
};

ResultType result_type(ResultOf<AnyMethodOf>) {
    using Of = AnyMethodOf;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AdjustMethod"},
        {
            part<&Of::method, &MethodResult::id>({}),
            part<&Of::method, &MethodResult::definition>({}),
            part<&Of::method, &MethodResult::mean_adjusted, &Estimate::undefined>(
                {.help = "Why the method has no estimates", .omitted = true}),
            part({.inlined = true},
                 [](const Of& o) {
                     return o.method->defined() ? std::optional(MethodOf{o.report, o.method})
                                                : std::nullopt;
                 }),
        });
    return rows;
}

std::vector<MeasuredClassifier> measured_classifiers(const AdjustReport& report) {
    std::vector<MeasuredClassifier> out;
    for (std::size_t i = 0; i < report.classifiers.size(); ++i) out.push_back({&report, i});
    return out;
}

std::vector<AnyMethodOf> methods_of(const AdjustReport& report) {
    std::vector<AnyMethodOf> out;
    for (const MethodResult& method : report.methods) out.push_back({&report, &method});
    return out;
}

/// Writes the replication's cells with each classifier's correct images.
std::vector<ReadingCell> cells_with_correct(const AdjustReport& report) {
    std::vector<ReadingCell> out = cells_of(report.second_cells);
    const std::size_t models = report.classifiers.size();
    for (std::size_t c = 0; c < out.size(); ++c)
        out[c].correct = std::span(report.correct).subspan(c * models, models);
    return out;
}

}  // namespace

std::vector<double> drawing_rates() {
    return RateGrid(drawing_points).s;
}

std::string_view name_of(Units units) {
    return units == Units::classes ? "classes" : "images";
}

ResultType result_type(ResultOf<AdjustReport>) {
    using Of = AdjustReport;
    static constexpr auto rows = describe_result<Of>(
        {.name = "AdjustReport", .help = "The part of the gap that is selection bias"},
        {
            part<&Of::quoted>({.help = "Id of the method that the verdict uses"}),
            part<&Of::first_images>({.name = "original", .group = "images"}),
            part<&Of::second_images>({.name = "replication", .group = "images"}),
            part<&Of::classes>({}),
            part<&Of::units>({.help = "Independent units of the intervals: classes or images"}),
            part<&Of::bootstrap>({.help = "Replicates; 0: none"}),
            part<&Of::mean_first>({.name = "original", .group = "mean"}),
            part<&Of::mean_second>({.name = "replication", .group = "mean"}),
            part<&Of::mean_sensitivity>(
                {.help = "Spread of the adjusted accuracy over sets of exponents",
                 .name = "sensitivity",
                 .group = "mean",
                 .omitted = true}),
            part({.name = "original", .group = "mean_frequency"},
                 [](const Of& o) { return o.first_cells.mean_frequency(); }),
            part({.name = "replication", .group = "mean_frequency"},
                 [](const Of& o) { return o.second_cells.mean_frequency(); }),
            part<&Of::raw_line>(
                {.help = "Without adjustment; null for one classifier", .name = "line"}),
            part({.name = "original", .group = "cells"},
                 [](const Of& o) { return cells_of(o.first_cells); }),
            part({.name = "replication", .group = "cells"},
                 [](const Of& o) { return cells_with_correct(o); }),
            part({.help = "The assumptions", .name = "condition"},
                 [](const Of&) {
                     return "the replication's selection frequencies were collected after its "
                            "images were selected";
                 }),
            part<&Of::warnings>({}),
            part({.name = "classifiers"}, [](const Of& o) { return measured_classifiers(o); }),
            part({.help = "Selection rates for plots", .name = "rates"},
                 [](const Of&) { return drawing_rates(); }),
            part({.help = "Methods; quote the first", .name = "methods"},
                 [](const Of& o) { return methods_of(o); }),
        });
    return rows;
}

namespace {

/// Present for both sets or for neither.
std::optional<std::size_t> left_out(const SweepPoint& point, std::size_t SweepPoint::*of_set) {
    if (point.first_left_out + point.second_left_out == 0) return std::nullopt;
    return point.*of_set;
}

}  // namespace

ResultType result_type(ResultOf<SweepPoint>) {
    using Of = SweepPoint;
    static constexpr auto rows = describe_result<Of>(
        {.name = "SweepRow",
         .help = "A method with fewer annotators, or a mixture with other numbers of parts"},
        {
            part<&Of::annotators>({}),
            part<&Of::method>({}),
            part<&Of::mean>({}),
            part<&Of::adjusted>({.help = "By classifier"}),
            part<&Of::exponents>({.help = "Of the moments", .omitted = true}),
            part({.help = "Images with fewer annotators than the largest number here",
                  .name = "original",
                  .group = "left_out",
                  .omitted = true},
                 [](const Of& o) { return left_out(o, &Of::first_left_out); }),
            part({.name = "replication", .group = "left_out", .omitted = true},
                 [](const Of& o) { return left_out(o, &Of::second_left_out); }),
        });
    return rows;
}

ResultType result_type(ResultOf<AdjustOutcome>) {
    using Of = AdjustOutcome;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ReplicateAdjust",
         .help = "What `assay replicate adjust` prints",
         .schema = "assay.replicate_adjust/2"},
        {
            part<&Of::adjusted>({.inlined = true}),
            part<&Of::prepared>({.name = "annotations"}),
            part({.help = "The result as sentences", .name = "verdict", .omitted = true},
                 [](const Of& o) { return verdict(o.adjusted); }),
            part<&Of::sweep>({.omitted = true}),
            part({.help = "Labels per image and selection; with --labels1 and --labels2",
                  .name = "joint",
                  .omitted = true},
                 [](const Of& o) {
                     return o.joint ? std::optional(
                                          NamedJointReport{&*o.joint, &o.adjusted.classifiers})
                                    : std::nullopt;
                 }),
        });
    return rows;
}

}  // namespace assay::replication
