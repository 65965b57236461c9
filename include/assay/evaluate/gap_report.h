// What is said of the gap between two data sets (gap.h).
//
// Every value is a proportion in [0, 1] and every gap is first minus second, in [-1, 1]. Undefined
// values carry the reason.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/estimate.h"
#include "assay/evaluate/gap_options.h"
#include "assay/report.h"

namespace assay {

/// One metric on both data sets. Averages over models: `absolute` is the mean of |gap|, not |mean
/// gap|, without what the images' errors add to it. `n`: images; of a gap, of both data sets
/// together; of an average, of one model. A value without an interval says why in its note.
struct GapPair {
    Estimate first, second, gap, absolute;
    /// Of an average: the models behind `first`, `second`, and the gaps.
    std::array<std::uint32_t, 3> models{1, 1, 1};
    std::optional<double> absolute_raw = {};  ///< of an average: mean of |gap| as seen
};

struct GapSubgroup {
    std::uint32_t labels = 0;
    GapPair top1, real, agreement;  ///< among the images with that many valid labels
};

/// gap of top-1 = composition + within. V2's images are reweighted to V1's distribution of the
/// number of labels per image (0, 1, ..., pooled); `within` is what remains of the gap then.
/// Numbers of labels that only one data set has cannot be reweighted: how far they move that data
/// set's value is `unmatched`, a part of `composition`.
struct GapDecomposition {
    Estimate composition, within, unmatched;
    /// composition / gap, which may leave [0, 1]; undefined where the gap's interval holds 0.
    Estimate explained;
    std::uint32_t models = 1;  ///< of an average
};

/// Standard competition ranking: 1 is the best, equal values share the smaller rank, and the next
/// one is skipped.
struct GapRank {
    std::uint32_t rank = 0;           ///< 0: the value is undefined, and not ranked
    std::uint32_t low = 0, high = 0;  ///< interval, of a model named beforehand; 0: none
};
/// Rank on the first data set less rank on the second, among the models that have both values.
struct GapRankChange {
    std::int64_t change = 0;
    std::optional<std::int64_t> low, high;
};

/// By how much a gap is smaller by another metric, on the same images.
struct GapDifference {
    GapMetric first_metric{}, second_metric{};
    Estimate value;  ///< gap by the first less gap by the second
    /// 1 - gap by the second / gap by the first; above 1 where the signs differ. Undefined where
    /// the gap by the first is not clear of 0.
    Estimate share;
};

struct GapModel {
    std::string name;
    std::array<GapPair, 3> metrics;
    std::vector<GapSubgroup> subgroups;
    GapDecomposition decomposition;
    std::array<std::array<GapRank, 2>, 3> ranks;  ///< [metric][data set]
    std::array<std::optional<std::int64_t>, 2>
        rank_change;  ///< by data set: rank by top-1 minus rank by ASMA, both among the models that
                      ///< have both values
    std::array<std::optional<GapRankChange>, 3> rank_change_between;  ///< by metric
    std::vector<GapDifference> differences;
    std::array<std::uint64_t, 2> not_scored{};  ///< images of each data set without scores
};

/// How the models' gaps differ from one another, as seen: no statement about images. Named apart
/// from the intervals.
struct BetweenModels {
    std::uint32_t models = 0;
    std::optional<double> sd;  ///< n - 1 in the denominator; none for one model
    double min = 0, lower_quartile = 0, median = 0, upper_quartile = 0, max = 0;
    /// Standard deviations between these models of their true values on each data set, and of their
    /// true gaps: without what the images' errors add.
    Estimate first, second, gap;
};

/// Models whose |gap| is below the margin, as seen, and how many of the verdicts hold for all of
/// the models together.
struct GapWithinMargin {
    std::uint32_t models = 0, within = 0;
    std::optional<std::uint32_t> surely_within, surely_outside;  ///< none without intervals

    /// Interval of the number of models within the margin.
    std::optional<std::uint32_t> low() const { return surely_within; }
    std::optional<std::uint32_t> high() const {
        return surely_outside ? std::optional(models - *surely_outside) : std::nullopt;
    }
};

/// The best of the models by a metric on a data set. The value is without the luck of the one that
/// came out best; the interval holds its true value, and the best of all models' true values.
struct GapBest {
    Estimate value;
    double raw = 0;  ///< as seen
    std::string model;
    std::uint32_t candidates = 0;  ///< models that may be the best
};

struct GapAverage {
    std::array<GapPair, 3> metrics;
    std::vector<GapSubgroup> subgroups;
    GapDecomposition decomposition;
    std::array<std::optional<BetweenModels>, 3> between;  ///< of the gaps
    std::array<GapWithinMargin, 3> within_margin;
    std::array<std::array<std::optional<GapBest>, 2>, 3> best;  ///< [metric][data set]
    std::vector<GapDifference> differences;                     ///< of the mean gaps
};

/// Agreement of two orders of the models.
struct GapOrder {
    GapMetric a{}, b{};
    int a_set = 0, b_set = 0;  ///< 0: first data set, 1: second
    Estimate kendall;          ///< of the true values, which errors pull towards 0
    Estimate spearman;
    std::uint32_t models = 0;  ///< with both values
    /// As seen: tau-b, and rho of average ranks.
    std::optional<double> kendall_raw = {}, spearman_raw = {};
};

/// Whether one line describes the models.
struct GapCurvature {
    double coefficient = 0, standard_error = 0;  ///< of the square
    double low_slope = 0, high_slope = 0;        ///< where a tenth of the models is below, above
    bool curved = false;
};

/// A metric on the second data set as a line of that on the first, over the models. Errors in the
/// first no longer pull the slope to 0 (Fuller 1987). Of these models: other images of the same
/// kind. `_like`: of models like these, as if drawn at random by families, too.
struct GapLine {
    GapMetric metric{};
    GapScale scale = GapScale::points;
    std::uint32_t models = 0;  ///< with both values, at least 3
    Estimate mean_gap, slope;
    Estimate intercept;  ///< its ends are at the slope's ends
    Estimate mean_gap_like, slope_like;
    std::optional<GapCurvature> curvature;
};

/// Five numbers over the models: quartiles (type 7), whiskers at the furthest point within 1.5
/// interquartile ranges (Tukey 1977), points beyond.
struct BoxNumbers {
    double low_whisker = 0, lower_quartile = 0, median = 0, upper_quartile = 0, high_whisker = 0;
    std::vector<std::size_t> outliers;  ///< indices into the points
};
struct GapBox {
    std::uint32_t labels = 0;
    int set = 0;
    std::optional<BoxNumbers> box;  ///< none without points
    std::vector<std::optional<double>>
        points;  ///< one per model, in the order of GapReport::models
};

struct GapDataSet {
    std::string name;
    std::uint64_t images = 0;
    std::vector<std::uint64_t> with_labels;  ///< [g - 1]: with g valid labels, g up to pooled_above
    std::uint64_t more = 0;                  ///< with more than that
    std::uint64_t none = 0;                  ///< without a valid label: left out by ReaL and ASMA
    std::uint64_t unnamed = 0;               ///< of these: not named by the file of label sets
    std::uint64_t single = 0;                ///< with a single label: those of top-1
    bool only_valid = false;  ///< the data set has no single labels of its own: an image's only
                              ///< valid class stands in
    std::vector<std::string> only_here;  ///< models that the other data set lacks: left out
};

/// A further data set on which the same models were measured: composites beside photographs. It has
/// values, and no part in the gap.
struct GapAlso {
    std::string name;
    std::string subgroups;  ///< numbers of labels that its ASMA averages over; "" of a table
    /// By metric, like GapReport::models; undefined where a model was not measured there.
    std::vector<std::array<Estimate, 3>> models;
    std::vector<std::string> warnings;  ///< of stores that are being written
};

/// Where each model stands by one column, and how far that is from where it stands by another: the
/// papers print the order by ASMA on PatchML, and its distance from the order by top-1 on V1.
struct GapRanking {
    /// Columns: metric_set, where set is v1, v2 or the name of a further data set.
    std::string by, against;
    /// Equal values share a rank, and the next one is not skipped (1, 2, 2, 3); false: it is (1, 2,
    /// 2, 4).
    bool dense = false;
    struct Place {
        std::size_t model = 0;  ///< index into GapReport::models
        std::uint32_t rank = 0, against = 0;
        std::int64_t change = 0;  ///< against - rank: so many places up
    };
    std::vector<Place> places;  ///< the models that have both values, the best first
};

struct GapReport {
    std::string source;  ///< "stores" or "table"
    std::array<GapDataSet, 2> sets;
    GapOptions options;
    std::vector<std::uint32_t> subgroups;  ///< what ASMA averages over
    /// By top-1 on the first data set (by ASMA, where top-1 is left out), best first; then by name.
    std::vector<GapModel> models;
    GapAverage average;
    std::vector<GapOrder> orders;
    std::vector<GapLine> lines;         ///< of the metrics that three models or more have on both
    std::vector<GapLine> scaled_lines;  ///< the same on the scale that was asked for
    std::vector<GapBox> boxes;          ///< by labels per image, first data set first
    std::array<std::vector<std::size_t>, 2>
        best;                         ///< best by ASMA on each data set: indices into `models`
    std::vector<std::size_t> marked;  ///< indices into `models`
    std::vector<GapAlso> also;
    std::optional<GapRanking> ranking;
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< what was made of a table of published values
    /// Of a table: what was taken of the correlation of two models' errors.
    std::optional<std::array<double, 2>> model_correlation, metric_correlation;
    bool partial = false;  ///< some image that should have been scored was not
};

/// Schema assay.gap/3: everything above.
nlohmann::json to_json(const GapReport& report);

/// Tables for people: averages, histograms, decomposition, subgroups, models (the first 20, or all
/// of them), best models, orders and box plots. `records`: one row per model, proportions; what
/// read_gap_table() reads.
Report report_of(const GapReport& report, bool all_models = false);

}  // namespace assay
