// Options for the comparison of two data sets by the gap between them (gap.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/describe.h"

namespace assay {

/// The three definitions of a correct prediction. They are also indices of the arrays below.
enum class GapMetric : std::size_t {
    top1,  ///< the best class is the data set's own single label; over the images that have one
    real,  ///< the best class is one of the valid labels; over the images with any
    asma,  ///< mean, over the subgroups of equally many labels, of the mean agreement within each
};
inline constexpr std::array<GapMetric, 3> gap_metrics{GapMetric::top1, GapMetric::real,
                                                      GapMetric::asma};
std::string_view name_of(GapMetric);

/// The scale on which a metric of the second data set is a line of the first.
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
    std::uint32_t replicates = 1000;  ///< draws of the errors: 0 means none, otherwise at least 200
    std::uint64_t seed = 1;
    GapScale scale = GapScale::points;
    /// For published values: the smallest and largest correlation of two models' errors, and of two
    /// metrics' errors, on the same images. One number sets both. The default is .3 to .8, and 0 to
    /// 1.
    std::vector<double> model_correlation, metric_correlation;
    /// (model, family) pairs for models that are variants of each other; every other model is its
    /// own family.
    std::vector<std::pair<std::string, std::string>> families;
    int threads = 0;
    std::vector<std::string> marked;
    std::size_t top = 10;
    bool slivers = false;
};
template <>
inline constexpr auto description<GapOptions> = describe<GapOptions>({
    field<&GapOptions::subgroups>(
        {.help = "Numbers of labels per image that ASMA averages over: 1-5, 2,3,4,6,9, present "
                 "(every number that both have), or 1-9,present (skip those that only one has)",
         .value = "LIST"}),
    field<&GapOptions::agreement>(
        {.help = "Agreement of the g best classes with g labels: recall, jaccard, or hamming as in "
                 "the papers. With 1000 classes hamming is above 0.98 for any prediction",
         .value = "{recall,jaccard,hamming}"}),
    field<&GapOptions::pooled_above>(
        {.help = "Images with more labels are one group in the decomposition",
         .min = 1,
         .max = 64,
         .option = "pool-above"}),
    field<&GapOptions::margin>({.help = "Count models whose |gap| is below this, in points",
                                .min = 0,
                                .max = 1,
                                .typed = 100}),
    field<&GapOptions::marked>({.help = "Show this model's line next to the box plots; repeatable",
                                .value = "CLASSIFIER",
                                .name = "mark",
                                .separator = ""}),
    field<&GapOptions::slivers>(
        {.help = "Show top-1 even if less than 5 % of a data set's images have a single label"}),
    field<&GapOptions::top>({.help = "Number of best models by ASMA to list"}),
    field<&GapOptions::level>(
        {.help = "Confidence level of the intervals", .min = .5, .max = .9999}),
    field<&GapOptions::replicates>(
        {.help = "Draws of the images' errors, 200 or more, for intervals over all models "
                 "(rankings, lines, mean |gap|); 0: no such intervals",
         .min = 0,
         .max = 100'000,
         .name = "bootstrap"}),
    field<&GapOptions::seed>({.help = "Seed of the draws"}),
    field<&GapOptions::scale>(
        {.help = "Show the line of V2 on V1 on this scale, too: probit or logit"}),
    field<&GapOptions::model_correlation>(
        {.help = "With --table: smallest and largest correlation of two models' errors on the same "
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

/// Throws usage for options that are wrong for any data: the agreement, the subgroups, the pooling.
void check(const GapOptions& options);

}  // namespace assay
