// The gap between two data sets: how far the same models fall from one to the other, by three
// definitions of a correct prediction, and how much of the fall comes from images that hold several
// things.
//
// Sources: Anzaku et al., "Re-assessing ImageNet: How aligned is its single-label assumption with
// its multi-label nature?" and "The Impact of the Single-Label Assumption in Image Recognition
// Benchmarking" (the comparison and ASMA); Kitagawa 1955, "Components of a difference between two
// rates" (standardisation); Nopo 2008, "Matching as a tool to decompose wage gaps" (what only one
// side has).
//
// Every value is a proportion in [0, 1] and every gap is first minus second, in [-1, 1]. Undefined
// values carry the reason. The values are those of the metrics `topk`, `real`, `asma` and
// `subgroup_accuracy`, to the last bit.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/collective/comm.h"
#include "assay/data/label_sets.h"
#include "assay/describe.h"
#include "assay/estimate.h"
#include "assay/progress.h"
#include "assay/report.h"

namespace assay {

/// The three definitions of a correct prediction; also indices of the arrays below.
enum class GapMetric : std::size_t {
    top1,  ///< the best class is the data set's own single label; over the images that have one
    real,  ///< the best class is one of the valid labels; over the images with any
    asma,  ///< mean, over the subgroups of equally many labels, of the mean agreement within each
};
inline constexpr std::array<GapMetric, 3> gap_metrics{GapMetric::top1, GapMetric::real,
                                                      GapMetric::asma};
std::string_view name_of(GapMetric);

/// On which scale a metric of the second data set is a line of the first.
enum class GapScale { points, probit, logit };
constexpr auto words_of(GapScale) {
    using Row = std::pair<GapScale, std::string_view>;
    return std::array{Row{GapScale::points, "points"}, Row{GapScale::probit, "probit"},
                      Row{GapScale::logit, "logit"}};
}

struct GapOptions {
    std::string subgroups = "1-5";
    std::uint32_t pooled_above = 5;
    std::string agreement = "recall";
    double margin = 0.01;
    double level = 0.95;
    std::uint32_t replicates = 1000;  ///< draws of the errors; 0: none; else at least 200
    std::uint64_t seed = 1;
    GapScale scale = GapScale::points;
    /// Of published values: least and largest correlation of two models' errors, and of two
    /// metrics' errors, on the same images. One number is both; none: .3 to .8, and 0 to 1.
    std::vector<double> model_correlation, metric_correlation;
    /// (model, family) of models that are variants of each other; the others stand alone.
    std::vector<std::pair<std::string, std::string>> families;
    int threads = 0;
    std::vector<std::string> marked;
    std::size_t top = 10;
    bool slivers = false;
};
template <>
inline constexpr auto description<GapOptions> = describe<GapOptions>({
    field<&GapOptions::subgroups>(
        {.help = "Labels per image that ASMA averages over: 1-5, 2,3,4,6,9, present (every number "
                 "that both have), or 1-9,present (of these, those that both have)",
         .value = "LIST"}),
    field<&GapOptions::agreement>(
        {.help = "How the g best classes agree with g labels: recall, jaccard, or hamming, as in "
                 "the papers. With 1000 classes hamming is above 0.98 for any prediction",
         .value = "{recall,jaccard,hamming}"}),
    field<&GapOptions::pooled_above>(
        {.help = "Images with more labels are one group in the decomposition",
         .min = 1,
         .max = 64,
         .option = "pool-above"}),
    field<&GapOptions::margin>({.help = "Models with a smaller |gap| are counted, in points",
                                .min = 0,
                                .max = 1,
                                .typed = 100}),
    field<&GapOptions::marked>({.help = "Show this model's line beside the box plots; repeatable",
                                .value = "CLASSIFIER",
                                .name = "mark",
                                .separator = ""}),
    field<&GapOptions::slivers>(
        {.help = "Show top-1 also where less than 5 % of a data set's images have a single label"}),
    field<&GapOptions::top>({.help = "Models listed as the best by ASMA"}),
    field<&GapOptions::level>(
        {.help = "Confidence level of the intervals", .min = .5, .max = .9999}),
    field<&GapOptions::replicates>(
        {.help = "Draws of the images' errors, 200 or more, for what is said about all models: "
                 "orders, ranks, lines, mean |gap|; 0: no such intervals",
         .min = 0,
         .max = 100'000,
         .name = "bootstrap"}),
    field<&GapOptions::seed>({.help = "Seed of the draws"}),
    field<&GapOptions::scale>(
        {.help = "Show the line of V2 on V1 on this scale, too: probit or logit"}),
    field<&GapOptions::model_correlation>(
        {.help = "With --table: least and largest correlation of two models' errors on the same "
                 "images",
         .min = 0,
         .max = 1,
         .empty = "0.3,0.8",
         .value = "LO,HI"}),
    field<&GapOptions::metric_correlation>(
        {.help = "With --table: the same of two metrics' errors of one model",
         .min = 0,
         .max = 1,
         .empty = "0,1",
         .value = "LO,HI"}),
    field<&GapOptions::threads>(
        {.help = "Threads", .min = 0, .empty = "one per core", .also = "-j"}),
});

/// Throws usage for what is wrong whatever the data: the agreement, the subgroups, the pooling.
void check(const GapOptions& options);

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

/// The stores of one data set, one per model, and the label sets to judge by.
struct GapSide {
    std::string name;
    std::vector<std::filesystem::path> stores;
    std::optional<LabelSets> sets;  ///< one per image; none: the data set's own labels
    std::uint64_t unnamed = 0;  ///< images that the file of `sets` does not name; for the report
};

/// Reads each store once, one after the other; the ranks share its rows and all get the report.
/// Top-1 is against the data set's own labels, ReaL and ASMA against the label sets. Models are
/// matched by name. Intervals are over images. One model's values have those of the metrics
/// (`score` gives the same), and its gaps those of two independent estimates
/// (Newcombe 1998; MOVER: Zou and Donner 2008). All others leave out or reweight random groups of
/// images, the same groups for all models, the two data sets independently. Memory: about 100 KiB
/// for each model and data set, and a few bytes per image. Throws usage and bad_input: no model in
/// common, other classes, labels of another length or outside.
GapReport gap_of_stores(const GapSide& first, const GapSide& second, const GapOptions& options,
                        Comm& comm, const ProgressCallback& progress = {});

/// Published results, one row per model.
struct GapTable {
    struct Row {
        std::string model;
        std::array<std::array<std::optional<double>, 2>, 3>
            metrics;  ///< [metric][data set], proportions
        std::vector<std::array<std::optional<double>, 2>> subgroups;  ///< like GapTable::subgroups
        std::vector<std::array<std::optional<double>, 3>> also;       ///< like GapTable::also
    };
    std::vector<std::string> also;  ///< further data sets, by the ends of their columns' names
    std::vector<std::uint32_t> subgroups;  ///< numbers of labels that have columns
    std::vector<Row> rows;
    std::array<std::array<bool, 2>, 3> has{};  ///< the table has that column
    bool percent = true;                       ///< the file's unit
    std::vector<std::string> ignored;          ///< columns that were not used
};
enum class TableUnit { automatic, percent, proportion };
constexpr auto words_of(TableUnit) {
    using Row = std::pair<TableUnit, std::string_view>;
    return std::array{Row{TableUnit::automatic, "auto"}, Row{TableUnit::percent, "percent"},
                      Row{TableUnit::proportion, "proportion"}};
}
/// csv or tsv with a header: `model`, then `top1_v1`, `top1_v2`, `real_v1`, ... `asma_v2`, and
/// `subgroup3_v1`, ... as far as there are such columns. A metric's name with another ending
/// (`asma_patchml`) is of a further data set; `_gap` and other columns are ignored. An empty cell
/// (or "-", "NA") is undefined. Automatic unit: percent when a cell ends in % or a value is above
/// 1, else proportions. `source` names the text in messages. Throws bad_input: no model column, no
/// pair of columns, a model twice or without a name, a cell that is no number or outside its unit.
GapTable parse_gap_table(std::string_view text, const std::string& source,
                         TableUnit unit = TableUnit::automatic);
GapTable read_gap_table(const std::filesystem::path& path, TableUnit unit = TableUnit::automatic);

/// How many images a data set's published values were measured on, where known.
struct GapImages {
    std::optional<std::uint64_t> top1 = {}, real = {};
    /// Of ASMA: images by their number of labels, one number for each subgroup.
    std::vector<std::uint64_t> counts = {};
};
/// "50000", which is top-1's, or "top1=50000,real=46837". Throws usage, with `option`.
GapImages parse_gap_images(const std::string& text, const std::string& option);

/// The same report as far as a table can tell: no histograms, no decomposition, and intervals of
/// the metrics whose images are known.
GapReport gap_of_table(const GapTable& table, const std::array<std::string, 2>& names,
                       const GapOptions& options, const std::array<GapImages, 2>& images = {});

/// A further data set for models that a report has: csv with `model`, `top1`, `real`, `asma`, as
/// far as there are such columns. The name is the file's. Throws as parse_gap_table.
GapAlso read_also_table(const std::filesystem::path& path, const GapReport& report,
                        TableUnit unit = TableUnit::automatic);
/// The same from a data set's stores, as `score` measures them. Throws as score_store.
GapAlso also_of_stores(const GapSide& side, const GapReport& report, const std::string& subgroups,
                       Comm& comm, const ProgressCallback& progress = {});
/// Orders the models by a column. `against` "": top1_v1, or real_v1 where no model has a top-1 (on
/// composites). Throws usage: no such column, with those that there are.
GapRanking rank_by(const GapReport& report, const std::string& by, const std::string& against,
                   bool dense);
/// "top1_v1", ... "asma_patchml": what rank_by takes.
std::vector<std::string> ranking_columns(const GapReport& report);

/// What is compared: two data sets by their stores, or a table of published values.
struct GapRequest {
    /// Two folders RUNS/DATA_SET, or two names of data sets below `runs`. With a table: names for
    /// the headings, or none.
    std::vector<std::string> sets;
    std::filesystem::path runs;
    /// Files of label sets; empty: the data set's own labels.
    std::array<std::filesystem::path, 2> labels;
    std::filesystem::path table;  ///< empty: stores
    TableUnit unit = TableUnit::automatic;
    /// With a table: how many images its values were measured on (parse_gap_images).
    std::string n1, n2;
    /// With a table: images by their number of labels, for ASMA.
    std::vector<std::uint64_t> counts1, counts2;
    std::filesystem::path families;  ///< csv with model, family
    /// Further data sets: folders or names like `sets`, with their label sets (one for each, or
    /// none); with a table files for read_also_table.
    std::vector<std::string> also;
    std::vector<std::filesystem::path> also_labels;
    std::string also_subgroups;  ///< of their ASMA; "": those of the options
    /// Columns of GapRanking; rank_by "": no ranking; rank_against "": as rank_by() chooses.
    std::string rank_by, rank_against;
    bool dense_ties = false;
    GapOptions options;
};
template <>
inline constexpr auto description<GapRequest> = describe<GapRequest>({
    field<&GapRequest::runs>({.help = "Folder of the runs: V1 and V2 are names of data sets in it",
                              .value = "RUNS"}),
    field<&GapRequest::table>(
        {.help = "Published results instead of stores: csv with model, top1_v1, top1_v2, real_v1, "
                 "... asma_v2",
         .value = "CSV"}),
    field<&GapRequest::unit>({.help = "Of --table"}),
    field<&GapRequest::n1>(
        {.help = "Images that --table's values on V1 were measured on, for intervals: 50000 "
                 "(top-1), or top1=50000,real=46837",
         .empty = "not known",
         .value = "N"}),
    field<&GapRequest::n2>({.help = "The same for V2", .empty = "not known", .value = "N"}),
    field<&GapRequest::counts1>(
        {.help = "Images of V1 with 1, 2, ... labels, those that --table's ASMA averages over",
         .min = 1,
         .value = "N,N,..."}),
    field<&GapRequest::counts2>({.help = "The same for V2", .min = 1, .value = "N,N,..."}),
    field<&GapRequest::families>(
        {.help = "Which models are variants of each other: csv with model, family; for models like "
                 "these",
         .value = "CSV"}),
    field<&GapRequest::also>(
        {.help = "A further data set for the same models, like V1 (with --table: csv with model, "
                 "top1, real, asma); repeatable",
         .value = "V3",
         .separator = ""}),
    field<&GapRequest::also_labels>(
        {.help = "Label sets of the further data sets, one for each --also",
         .value = "LABELS",
         .separator = ""}),
    field<&GapRequest::also_subgroups>({.help = "Labels per image that their ASMA averages over",
                                        .empty = "--subgroups",
                                        .value = "LIST"}),
    field<&GapRequest::rank_by>(
        {.help = "Show the models by this column, and how far each moves: asma_v1, real_v2, "
                 "asma_patchml, ... (metric_set)",
         .empty = "none",
         .value = "COLUMN"}),
    field<&GapRequest::rank_against>(
        {.help = "The column to compare their places with",
         .empty = "top1_v1; if no model has one, as on composites, real_v1",
         .value = "COLUMN"}),
});
/// Throws what can be known before a store is opened: usage as check(GapOptions), and for what does
/// not go together; bad_input: a file that is not there.
void check(const GapRequest& request);
/// Finds the stores or reads the table, and compares. Throws as check(); usage: data sets that are
/// not there, the same one twice; and as gap_of_stores() and read_gap_table().
GapReport run_gap(const GapRequest& request, Comm& comm, const ProgressCallback& progress = {});

/// Schema assay.gap/3: everything above.
nlohmann::json to_json(const GapReport& report);

/// Tables for people: averages, histograms, decomposition, subgroups, models (the first 20, or all
/// of them), best models, orders and box plots. `records`: one row per model, proportions; what
/// read_gap_table() reads.
Report report_of(const GapReport& report, bool all_models = false);

}  // namespace assay
