// Ranks models by any columns of numbers: a weighted score of dimensions and other columns, or a
// single column, or a product such as "accuracy * ood_robustness".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/quality/columns.h"
#include "assay/quality/quba.h"
#include "assay/report.h"

namespace assay::quality {

struct RankingOptions {
    /// Models, weights, trimming and draws. Weights may also name columns: "none,gmacs=1".
    QubaOptions score;
    /// A column, or columns with * and / between them. "" ranks by the weighted score.
    std::string by;
    ColumnOptions columns;
};

/// A column that counts in a ranking.
struct RankedColumn {
    std::string name;
    bool higher_is_better = true;
    std::optional<double> weight;           ///< in a weighted score
    std::optional<double> mean, deviation;  ///< center and scale in a weighted score
    std::string scale_from;                 ///< "published", "these models" or "given"
    std::optional<int> power;               ///< in a product: 1 or -1
    std::size_t models = 0;                 ///< number of models with a value
    std::size_t exact = 0;                  ///< number of those without a standard error
};

struct RankedModel {
    std::size_t model = 0;  ///< index into the table
    std::string label;
    Estimate score;  ///< the weighted score, the column's value, or the product
    Estimate rank;   ///< 1 is the best
    /// Probabilities of rank 1 and of ranks 1 to 5, over the draws. No value if no standard errors
    /// are known; ranks then have no intervals.
    std::optional<double> best, top5;
    std::map<std::string, double> values;  ///< by column
    std::map<std::string, double> parts;   ///< terms of a weighted score, which add up to it
    std::vector<std::string> missing;
};

struct RankingResult {
    RankingOptions options;
    bool higher_is_better = true;  ///< false if rank 1 has the lowest score
    std::vector<RankedColumn> columns;
    std::vector<RankedModel> models;  ///< best first
    std::vector<std::string> notes, warnings;
};

/// A weighted score is sum w s (x - mean) / deviation / sum w, as score_quality() computes it from
/// the dimensions alone. The scale of other columns is given, or that of the chosen models; the
/// latter is computed anew in each draw. Every value is drawn from a normal distribution with its
/// standard error: dimensions as score_quality() does, other columns independently. A product
/// requires values of 0 or more, and divisors above 0; all factors must be better in the same
/// direction. Throws usage and bad_input as score_quality() and column_named() do.
RankingResult rank_models(const QualityTable& table, const RankingOptions& options);
/// Schema "assay.quality_ranking/1".
Report report_of(const RankingResult& result);

/// True if rank_models() is needed: a column that is not a dimension, `by`, or a table without any
/// value of the nine dimensions.
bool needs_ranking(const QualityTable& table, const RankingOptions& options);

}  // namespace assay::quality
