// QUBA: one score from nine quality dimensions, with its interval and the intervals of ranks. Each
// dimension is centered, scaled and weighted (Hesse et al., TMLR 2026, section 5).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"
#include "assay/quality/table.h"
#include "assay/report.h"

namespace assay::quality {

/// The constants that center and scale a dimension.
struct QubaConstants {
    PerDimension<double> mean{}, deviation{};
    std::string source;  ///< source of the constants: "the published constants"
};
/// The constants of the 326 published classifiers, as stored in their code: scores are comparable
/// between tables.
const QubaConstants& published_constants();
/// Computes constants from these models: in each dimension, the floor(trim n) lowest and highest
/// are excluded, and the population standard deviation is used. Models that lack a dimension are
/// excluded from it. Throws bad_input if fewer than three models remain, or if all are equal.
QubaConstants constants_of(const QualityTable& table, const std::vector<std::size_t>& models,
                           const PerDimension<double>& weights, double trim = 0.1);

/// The paper's own weights, or one set from its figure 5, which doubles the weights of one group of
/// dimensions.
struct WeightProfile {
    std::string_view name;
    std::string_view is;
    PerDimension<double> weights;
};
const std::vector<WeightProfile>& weight_profiles();
/// A profile's name, or changes to the default weights: "accuracy=2,parameters=0". The changes may
/// follow a profile's name, or "none" (all weights are 0): "none,accuracy=1". Throws usage for
/// unknown names, negative or no numbers, or if all weights are zero.
PerDimension<double> weights_named(std::string_view text);

struct QubaOptions {
    std::string weights = "balanced";  ///< an input of weights_named()
    std::vector<std::string> where;    ///< selectors of models; "": all models
    bool own_constants = false;        ///< true if constants are computed from the chosen models
    double trim = 0.1;                 ///< for scales of the chosen models: excluded on each side
    bool drop_missing = false;         ///< compute the score from the available dimensions,
                                       ///< renormalized; otherwise refuse
    bool among_published = true;       ///< true if each model gets a place among the 326
    std::size_t top = 0;               ///< number of rows shown to people; 0 means all
    double level = 0.95;
    std::uint32_t replicates = 1000;
    std::uint64_t seed = 0;
};

struct ScoredModel {
    std::size_t model = 0;  ///< index into the table
    std::string label;
    Estimate score;
    Estimate rank;    ///< 1 is the best of the chosen models
    double best = 0;  ///< probability of rank 1, over the draws
    double top5 = 0;
    /// 1 + the number of published models with higher scores; undefined without all dimensions.
    Estimate place;
    /// The terms w_i s_i (x_i - mu_i) / sigma_i / sum w, which add up to the score.
    PerDimension<std::optional<double>> contribution;
    std::vector<Dimension> missing;
};

/// The way of drawing the cells of one dimension, as numbers of models. Exact cells have no
/// standard error.
struct DrawnCells {
    std::size_t joint = 0, independent = 0, exact = 0;
};

struct QubaResult {
    QubaOptions options;
    QubaConstants constants;
    PerDimension<double> weights{};
    PerDimension<DrawnCells> draws{};  ///< for dimensions with a weight
    std::vector<ScoredModel> models;   ///< best first
    std::vector<std::string> notes;
    std::vector<std::string> warnings;
    bool assumed_errors = false;  ///< some standard errors follow only from the sizes of test sets
    bool published = false;       ///< the table is the one with the 326 models
};

/// Computes scores, their ranks, and their uncertainty. A score is sum w_i s_i (x_i - mu_i) /
/// sigma_i / sum w_i with s_i = -1 if less is better. For the uncertainty, every cell is drawn from
/// a normal distribution with its standard error, `replicates` times. Cells with shares are drawn
/// together, sum_data sum_g parts[g] z with standard normal z that depend only on (seed, data,
/// replicate, g). All others are independent, keyed by (seed, model's place, dimension). Cells
/// without a standard error are treated as exact, and a warning gives their number. Another warning
/// appears if models of a dimension were measured on different images. Cost: replicates x (models x
/// log models + parts of shares). Throws usage as weights_named() and select_models() do; bad_input
/// if a dimension with a weight is missing.
QubaResult score_quality(const QualityTable& table, const QubaOptions& options);
/// Schema "assay.quality_score/1".
Report report_of(const QubaResult& result);

}  // namespace assay::quality
