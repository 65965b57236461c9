// Describes the statements about all models of a gap.
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "evaluate/described_evaluate.h"
#include "evaluate/gap/gap_result.h"

namespace assay {

ResultType result_type(ResultOf<ShownEstimate>) {
    static constexpr auto rows = describe_result<ShownEstimate>(
        {.name = "GapEstimate"},
        {
            part({.inlined = true},
                 [](const ShownEstimate& e) -> const Estimate& { return *e.estimate; }),
            part<&ShownEstimate::models>(
                {.help = "For averages: the number of models", .omitted = true}),
            part<&ShownEstimate::raw>(
                {.help = "The observed value, including the noise of the images", .omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<GapRankChange>) {
    static constexpr auto rows = describe_result<GapRankChange>(
        {.name = "GapRankChange",
         .help = "Rank on the first data set less rank on the second, among models that have both"},
        {
            part<&GapRankChange::change>({}),
            part<&GapRankChange::low>({.omitted = true}),
            part<&GapRankChange::high>({.omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<GapDifference>) {
    static constexpr auto rows = describe_result<GapDifference>(
        {.name = "GapDifference", .help = "How much smaller a gap is with another metric"},
        {
            part<&GapDifference::first_metric>({.script = gap_metric_type}),
            part<&GapDifference::second_metric>({.script = gap_metric_type}),
            part({.inlined = true},
                 [](const GapDifference& d) -> const Estimate& { return d.value; }),
            part<&GapDifference::share>(
                {.help = "1 - gap by the second / gap by the first; above 1 if the signs differ; "
                         "undefined if the first is not significantly different from 0"}),
        });
    return rows;
}

ResultType result_type(ResultOf<GapBest>) {
    static constexpr auto rows = describe_result<GapBest>(
        {.name = "GapBest",
         .help = "The best of the models; the interval covers the winner's true value and the best "
                 "true value"},
        {
            part<&GapBest::model>({}),
            part({.inlined = true}, [](const GapBest& b) -> const Estimate& { return b.value; }),
            part<&GapBest::raw>({.help = "The observed value, biased upwards by selection"}),
            part<&GapBest::candidates>(
                {.help = "Number of models that may be the best; 0: unknown"}),
        });
    return rows;
}

ResultType result_type(ResultOf<GapCurvature>) {
    static constexpr auto rows = describe_result<GapCurvature>(
        {.name = "GapCurvature", .help = "Whether one line describes the models"},
        {
            part<&GapCurvature::coefficient>({.help = "Coefficient of the square"}),
            part<&GapCurvature::standard_error>({}),
            part<&GapCurvature::low_slope>(
                {.help = "Slope at the 10 % quantile of the first data set"}),
            part<&GapCurvature::high_slope>({.help = "Slope at the 90 % quantile"}),
            part<&GapCurvature::curved>({.help = "No single line describes the models"}),
        });
    return rows;
}

namespace {

struct OrderEnd {
    GapMetric metric;
    int set;
};
ResultType result_type(ResultOf<OrderEnd>) {
    static constexpr auto rows = describe_result<OrderEnd>(
        {.name = "OrderEnd"}, {part<&OrderEnd::metric>({.script = gap_metric_type}),
                               part({.name = "set", .script = gap_set_type},
                                    [](const OrderEnd& end) { return set_key(end.set); })});
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<GapOrder>) {
    static constexpr auto rows = describe_result<GapOrder>(
        {.name = "GapOrder", .help = "Agreement of two rankings of the models"},
        {
            part({.name = "a"},
                 [](const GapOrder& o) {
                     return OrderEnd{o.a, o.a_set};
                 }),
            part({.name = "b"},
                 [](const GapOrder& o) {
                     return OrderEnd{o.b, o.b_set};
                 }),
            part<&GapOrder::models>({.help = "With both values"}),
            part({.help = "Agreement of the true values", .name = "kendall_tau_b"},
                 [](const GapOrder& o) {
                     return ShownEstimate{&o.kendall, {}, o.kendall_raw};
                 }),
            part({.help = "Agreement of the true values", .name = "spearman_rho"},
                 [](const GapOrder& o) {
                     return ShownEstimate{&o.spearman, {}, o.spearman_raw};
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<GapLine>) {
    static constexpr auto rows = describe_result<GapLine>(
        {.name = "GapLine",
         .help = "A line that predicts a metric on the second data set from the first"},
        {
            part<&GapLine::metric>({.script = gap_metric_type}),
            part<&GapLine::models>({.help = "With both values"}),
            part<&GapLine::scale>({}),
            part<&GapLine::mean_gap>({.help = "For these models: that of the averages"}),
            part<&GapLine::slope>({.help = "Of these models"}),
            part<&GapLine::intercept>(
                {.help = "The ends of its interval belong to the ends of the slope's interval"}),
            part<&GapLine::mean_gap_like>({.help = "Treats the models as a random sample"}),
            part<&GapLine::slope_like>({.help = "Treats the models as a random sample"}),
            part<&GapLine::curvature>({.help = "Null for fewer than four models"}),
        });
    return rows;
}

}  // namespace assay
