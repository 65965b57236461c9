// QUBA: one score from nine quality dimensions, each centred and scaled, weighted (Hesse et al.,
// TMLR 2026, section 5), with its interval and those of ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"
#include "assay/quality/table.h"
#include "assay/report.h"

namespace assay::quality {

/// What centres and scales a dimension.
struct QubaConstants {
    PerDimension<double> mean{}, deviation{};
    std::string source;  ///< for people: "the published constants"
};
/// Those of the 326 published classifiers, as their code stores them: scores are comparable between
/// tables.
const QubaConstants& published_constants();
/// Of these models: in each dimension without the floor(trim n) lowest and highest, the population
/// standard deviation; models that lack one are left out of it. Throws bad_input: fewer than three
/// models left, or all equal.
QubaConstants constants_of(const QualityTable& table, const std::vector<std::size_t>& models,
                           const PerDimension<double>& weights, double trim = 0.1);

/// The paper's own weights, or one of its figure 5, where one group of dimensions has them doubled.
struct WeightProfile {
    std::string_view name;
    std::string_view is;
    PerDimension<double> weights;
};
const std::vector<WeightProfile>& weight_profiles();
/// A profile's name, or "accuracy=2,parameters=0" changing the default's. Throws usage: unknown
/// names, no numbers, negative ones, all zero.
PerDimension<double> weights_named(std::string_view text);

struct QubaOptions {
    std::string weights = "balanced";  ///< as weights_named() takes it
    std::vector<std::string> where;    ///< selectors; "": all models
    bool own_constants = false;        ///< of the chosen models themselves
    double trim = 0.1;                 ///< of own constants, on each side
    bool drop_missing = false;         ///< score what is there, renormalised; else refuse
    bool among_published = true;       ///< place each model among the 326
    std::size_t top = 0;               ///< rows that people see; 0: all
    double level = 0.95;
    std::uint32_t replicates = 1000;
    std::uint64_t seed = 0;
};

struct ScoredModel {
    std::size_t model = 0;  ///< in the table
    std::string label;
    Estimate score;
    Estimate rank;    ///< 1: the best of the chosen ones
    double best = 0;  ///< probability of rank 1, over the draws
    double top5 = 0;
    /// 1 + the published ones that score higher; undefined where a dimension is missing.
    Estimate place;
    /// w_i s_i (x_i - mu_i) / sigma_i / sum w: they add up to the score.
    PerDimension<std::optional<double>> contribution;
    std::vector<Dimension> missing;
};

/// How the cells of one dimension were drawn: numbers of models. Exact ones have no standard error.
struct DrawnCells {
    std::size_t joint = 0, independent = 0, exact = 0;
};

struct QubaResult {
    QubaOptions options;
    QubaConstants constants;
    PerDimension<double> weights{};
    PerDimension<DrawnCells> draws{};  ///< of dimensions with a weight
    std::vector<ScoredModel> models;   ///< best first
    std::vector<std::string> notes;
    std::vector<std::string> warnings;
    bool assumed_errors = false;  ///< some standard errors follow from the sizes of test sets alone
    bool published = false;       ///< the table is that of the 326
};

/// Scores, sum w_i s_i (x_i - mu_i) / sigma_i / sum w_i with s_i = -1 where less is better, their
/// ranks, and how sure they are: every cell is drawn from a normal distribution with its standard
/// error, `replicates` times. Cells with shares are drawn together, sum_data sum_g parts[g] z with
/// standard normal z that depend on (seed, data, replicate, g) alone; all others independently, by
/// (seed, model's place, dimension). Cells without a standard error are taken as exact, and a
/// warning says how many; another one where models of a dimension were measured on different
/// images. Cost: replicates x (models x log models + parts of shares). Throws usage as
/// weights_named() and select_models(), bad_input where a dimension with a weight is missing.
QubaResult score_quality(const QualityTable& table, const QubaOptions& options);
/// "assay.quality_score/1".
Report report_of(const QubaResult& result);

}  // namespace assay::quality
