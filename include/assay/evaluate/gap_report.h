// Results about the gap between two data sets (gap.h).
//
// Every value is a proportion in [0, 1] and every gap is first minus second, in [-1, 1]. Undefined
// values include the reason.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/estimate.h"
#include "assay/evaluate/gap_options.h"
#include "assay/evaluate/group_accuracy.h"
#include "assay/evaluate/score.h"
#include "assay/report.h"

namespace assay {

/// One metric on both data sets. For averages over models, `absolute` is the mean of |gap|, not
/// |mean gap|, without the part that the images' errors add to it. `n` is the number of images: for
/// a gap, of both data sets together; for an average, of one model. If a value has no interval, its
/// note gives the reason.
struct GapPair {
    Estimate first, second, gap, absolute;
    /// For an average: the numbers of models that `first`, `second` and the gaps average over.
    std::array<std::uint32_t, 3> models{1, 1, 1};
    std::optional<double> absolute_raw = {};  ///< the observed mean of |gap|, for an average
};

struct GapSubgroup {
    std::uint32_t labels = 0;
    GapPair top1, real, agreement;  ///< over the images with that many valid labels
};

/// gap of top-1 = composition + within. V2's images are reweighted to V1's distribution of the
/// number of labels per image (0, 1, ..., pooled); `within` is the gap that remains after that.
/// Numbers of labels that only one data set has cannot be reweighted. `unmatched` is how much they
/// change that data set's value, and is a part of `composition`.
struct GapDecomposition {
    Estimate composition, within, unmatched;
    /// composition / gap, which may be outside [0, 1]; undefined if the gap's interval contains 0.
    Estimate explained;
    std::uint32_t models = 1;  ///< number of models in an average
};

/// Standard competition ranking: 1 is the best, equal values share the smaller rank, and the next
/// one is skipped.
struct GapRank {
    std::uint32_t rank = 0;           ///< 0 means that the value is undefined and not ranked
    std::uint32_t low = 0, high = 0;  ///< interval for a model that was named beforehand; 0 means
                                      ///< none
};
/// Rank on the first data set minus rank on the second, among the models that have both values.
struct GapRankChange {
    std::int64_t change = 0;
    std::optional<std::int64_t> low, high;
};

/// The reduction of a gap by another metric on the same images.
struct GapDifference {
    GapMetric first_metric{}, second_metric{};
    Estimate value;  ///< gap by the first metric minus gap by the second
    /// 1 - gap by the second / gap by the first; above 1 if the signs differ. Undefined if the gap
    /// by the first cannot be distinguished from 0.
    Estimate share;
};

struct GapModel {
    std::string name;
    std::array<GapPair, 3> metrics;
    std::vector<GapSubgroup> subgroups;
    GapDecomposition decomposition;
    std::array<std::array<GapRank, 2>, 3> ranks;  ///< [metric][data set]
    std::array<std::optional<std::int64_t>, 2>
        rank_change;  ///< per data set: rank by top-1 minus rank by ASMA, both among the models
                      ///< that have both values
    std::array<std::optional<GapRankChange>, 3> rank_change_between;  ///< by metric
    std::vector<GapDifference> differences;
    std::array<std::uint64_t, 2> not_scored{};  ///< images of each data set without scores
};

/// The differences of the observed gaps between the models, which is not a statement about images.
/// Field names differ from those of intervals.
struct BetweenModels {
    std::uint32_t models = 0;
    std::optional<double> sd;  ///< with n - 1 in the denominator; undefined for one model
    double min = 0, lower_quartile = 0, median = 0, upper_quartile = 0, max = 0;
    /// Standard deviations between these models: of their true values on each data set, and of
    /// their true gaps. They exclude the part that the images' errors add.
    Estimate first, second, gap;
};

/// The number of models whose observed |gap| is below the margin, and how many of the verdicts are
/// valid for all of the models together.
struct GapWithinMargin {
    std::uint32_t models = 0, within = 0;
    std::optional<std::uint32_t> surely_within, surely_outside;  ///< none without intervals

    /// Interval of the number of models within the margin.
    std::optional<std::uint32_t> low() const { return surely_within; }
    std::optional<std::uint32_t> high() const {
        return surely_outside ? std::optional(models - *surely_outside) : std::nullopt;
    }
};

/// The best model by a metric on a data set. The value is corrected for the luck of the model that
/// was best. The interval contains its true value, and the best of all models' true values.
struct GapBest {
    Estimate value;
    double raw = 0;  ///< the observed value
    std::string model;
    std::uint32_t candidates = 0;  ///< number of models that may be the best
};

struct GapAverage {
    std::array<GapPair, 3> metrics;
    std::vector<GapSubgroup> subgroups;
    GapDecomposition decomposition;
    std::array<std::optional<BetweenModels>, 3> between;  ///< differences of the gaps
    std::array<GapWithinMargin, 3> within_margin;
    std::array<std::array<std::optional<GapBest>, 2>, 3> best;  ///< [metric][data set]
    std::vector<GapDifference> differences;                     ///< differences of the mean gaps
};

/// Agreement of two orders of the models.
struct GapOrder {
    GapMetric a{}, b{};
    int a_set = 0, b_set = 0;  ///< 0 is the first data set, 1 the second
    Estimate kendall;          ///< for the true values; errors pull the observed tau towards 0
    Estimate spearman;
    std::uint32_t models = 0;  ///< with both values
    /// Correlations of the observed values: tau-b, and rho of average ranks.
    std::optional<double> kendall_raw = {}, spearman_raw = {};
};

/// True if a single line describes the models.
struct GapCurvature {
    double coefficient = 0, standard_error = 0;  ///< value and error for the square term
    /// slope where a tenth of the models is below, and above
    double low_slope = 0, high_slope = 0;
    bool curved = false;
};

/// A metric on the second data set as a line of the same metric on the first, over the models. The
/// slope is corrected for errors in the first, which would pull it to 0 (Fuller 1987). It describes
/// these models on other images of the same kind. The values in `_like` describe models like these,
/// as if they were also drawn at random by families.
struct GapLine {
    GapMetric metric{};
    GapScale scale = GapScale::points;
    std::uint32_t models = 0;  ///< models with both values, at least 3
    Estimate mean_gap, slope;
    Estimate intercept;  ///< its ends belong to the slope's ends
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
    std::optional<BoxNumbers> box;  ///< no value without points
    std::vector<std::optional<double>>
        points;  ///< one per model, in the order of GapReport::models
};

struct GapDataSet {
    std::string name;
    std::uint64_t images = 0;
    std::vector<std::uint64_t> with_labels;  ///< [g - 1]: images with g valid labels, g up to
                                             ///< pooled_above
    std::uint64_t more = 0;                  ///< images with more labels than that
    std::uint64_t none = 0;                  ///< images without a valid label, which ReaL and ASMA
                                             ///< exclude
    std::uint64_t unnamed = 0;               ///< images among these that the file of label sets
                                             ///< does not name
    std::uint64_t single = 0;                ///< images with a single label, which top-1 uses
    bool only_valid = false;  ///< the data set has no single labels of its own, so an image's only
                              ///< valid class is used instead
    std::vector<std::string> only_here;  ///< models that the other data set lacks; they are
                                         ///< excluded
};

/// A further data set on which the same models were measured, such as composites in addition to
/// photographs. It has values, but is not part of the gap.
struct GapAlso {
    std::string name;
    std::string subgroups;  ///< numbers of labels that its ASMA averages over; "" for a table
    /// Values by metric, like GapReport::models; undefined if a model was not measured there.
    std::vector<std::array<Estimate, 3>> models;
    std::vector<std::string> warnings;  ///< about stores that are still being written
    /// For a pattern of names: the mean of each metric of each model over the data sets.
    std::vector<AcrossResult> means = {};
};

/// The rank of each model by one column, and how much it differs from the rank by another. The
/// papers print the order by ASMA on PatchML, and its difference from the order by top-1 on V1.
struct GapRanking {
    /// Columns: metric_set, where set is v1, v2 or the name of a further data set.
    std::string by, against;
    /// If true, equal values share a rank, and the next rank is not skipped (1, 2, 2, 3). If false,
    /// it is (1, 2, 2, 4).
    bool dense = false;
    struct Place {
        std::size_t model = 0;  ///< index into GapReport::models
        std::uint32_t rank = 0, against = 0;
        std::int64_t change = 0;  ///< against - rank: the number of places gained
    };
    std::vector<Place> places;  ///< the models that have both values, best first
};

/// A group of images that both data sets have.
struct GapOfGroup {
    std::string name;                  ///< "sex=f,camera=2"
    std::array<Estimate, 2> accuracy;  ///< by data set
    Estimate gap;                      ///< the intervals of all groups hold together
};
/// An accuracy of a model on both data sets, for groups of images.
struct GapByGroup {
    std::vector<std::string> by;  ///< the requested attributes: {"sex,camera", "hospital"}
    std::string model, metric;    ///< "top1", "real"
    /// The largest true gap, whichever group it belongs to. The value is the largest observed one
    /// without the part that is due to choosing the largest. n: images of the groups that have an
    /// interval, and once for each group if groups overlap.
    Estimate largest;
    std::optional<double> observed;  ///< the largest observed gap
    std::string observed_group;      ///< of the group that has it
    std::size_t candidates = 0;      ///< groups that are large enough
    std::vector<GapOfGroup> groups;
    std::array<std::vector<std::string>, 2> only_here;  ///< groups that the other data set lacks
    std::size_t too_small = 0;                          ///< groups too small for an interval
    std::array<std::uint64_t, 2> without = {};          ///< images that count but are in no group
    /// Images that count but lack a value, for each attribute that some images lack.
    std::array<std::vector<WithoutValue>, 2> without_value;
};

struct GapReport {
    std::string source;  ///< "stores" or "table"
    std::array<GapDataSet, 2> sets;
    GapOptions options;
    std::vector<std::uint32_t> subgroups;  ///< numbers of labels that ASMA averages over
    /// Sorted by top-1 on the first data set (by ASMA if top-1 is excluded), best first, then by
    /// name.
    std::vector<GapModel> models;
    GapAverage average;
    std::vector<GapOrder> orders;
    std::vector<GapLine> lines;         ///< for metrics that at least three models have on both
                                        ///< data sets
    std::vector<GapLine> scaled_lines;  ///< the same on the requested scale
    std::vector<GapBox> boxes;          ///< by labels per image, first data set first
    std::array<std::vector<std::size_t>, 2>
        best;                         ///< the best by ASMA on each data set: indices into `models`
    std::vector<std::size_t> marked;  ///< indices into `models`
    std::vector<GapAlso> also;
    std::optional<GapRanking> ranking;
    std::vector<GapByGroup> groups;  ///< with GapRequest::by: model by model
    std::vector<std::string> warnings;
    std::vector<std::string> notes;  ///< notes on how a table of published values was used
    /// For a table: the assumed correlation of two models' errors.
    std::optional<std::array<double, 2>> model_correlation, metric_correlation;
    bool partial = false;  ///< some image that should have a score has none
};

/// Returns everything above as schema assay.gap/3.
nlohmann::json to_json(const GapReport& report);

/// Tables for people: averages, histograms, decomposition, subgroups, models (the first 20, or all
/// of them), best models, orders and box plots. The records are proportions, one row per model, as
/// read_gap_table() reads them.
Report report_of(const GapReport& report, bool all_models = false);

}  // namespace assay
