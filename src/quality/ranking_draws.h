// The number by which rank_models() ranks, and its draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/quality/quba.h"
#include "core/random.h"
#include "quality/drawn_ranks.h"
#include "quality/joint.h"
#include "quality/scored_columns.h"

namespace assay::quality {

using Row = std::vector<std::optional<double>>;  ///< the values of a model, by column

/// The columns that count, and how they make one number.
struct Goal {
    std::vector<ScoredColumn> columns;
    std::vector<int> powers;  ///< of a product; empty for a weighted score
    double sign = 1;          ///< -1 if low numbers are better

    bool is_product() const { return !powers.empty(); }
};

double goal_of(const Goal& goal, const Row& row);
/// The goals of all rows; high values are better.
std::vector<double> signed_goals(const Goal& goal, const std::vector<Row>& rows);

/// Draws of the cells that count. Those of dimensions are the draws of score_quality().
class RowDraws {
public:
    RowDraws(const Goal& goal, const QualityTable& table, const std::vector<std::size_t>& models,
             std::uint64_t seed);
    const std::vector<Row>& rows() const { return rows_; }
    void next(std::vector<Row>& out);

private:
    std::vector<Row> rows_;
    std::vector<std::vector<double>> errors_;
    std::vector<RandomStream> streams_, more_streams_;
    JointDraws joint_;
    std::vector<std::pair<std::size_t, std::size_t>> places_;  ///< model and column
    std::vector<std::size_t> at_;                              ///< places of the columns in a draw
    std::size_t more_ = 0;
};

/// Columns whose scale comes from these models are scaled anew in each draw. Throws bad_input if a
/// draw has no scale, or a score that is not finite.
std::vector<DrawnModel> draw_ranks(Goal goal, RowDraws& draws, const QubaOptions& options);

/// Why the draws of a product say nothing about a model: a value is below 4 of its standard errors,
/// so it can be drawn as 0 or negative.
struct UnsureFactor {
    std::string column;
    bool divisor = false;
};
/// No value for a single column, a weighted score, and products whose draws are all positive.
std::optional<UnsureFactor> unsure_factor(const Goal& goal, const QualityTable& table,
                                          std::size_t model);

}  // namespace assay::quality
