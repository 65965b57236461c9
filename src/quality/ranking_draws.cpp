#include "quality/ranking_draws.h"

#include <span>

#include "core/parallel.h"
#include "quality/cell_notes.h"

namespace assay::quality {
namespace {

/// A value above this many of its standard errors is drawn as 0 or less in 1 of 30,000 draws.
constexpr double sure_errors = 4;

/// Centers and scales by the drawn values, for the columns whose scale comes from these models.
void scale_again(Goal& goal, const std::vector<Row>& rows, double trim) {
    for (std::size_t c = 0; c < goal.columns.size(); ++c) {
        if (goal.columns[c].scale_from != "these models") continue;
        std::vector<double> values;
        for (const Row& row : rows) {
            if (row[c]) values.push_back(*row[c]);
        }
        scale_by(goal.columns[c], values, trim, "in a draw, ");
    }
}

}  // namespace

double goal_of(const Goal& goal, const Row& row) {
    double product = 1, sum = 0, total = 0;
    for (std::size_t c = 0; c < row.size(); ++c) {
        if (!row[c]) continue;
        if (goal.is_product()) {
            product = goal.powers[c] > 0 ? product * *row[c] : product / *row[c];
            continue;
        }
        const ScoredColumn& column = goal.columns[c];
        sum += column.weight * column.sign() * (*row[c] - column.mean) / column.deviation;
        total += column.weight;
    }
    return goal.is_product() ? product : sum / total;
}

RowDraws::RowDraws(const Goal& goal, const QualityTable& table,
                   const std::vector<std::size_t>& models, std::uint64_t seed)
    : joint_(seed) {
    for (const std::size_t m : models) {
        streams_.emplace_back(seed, "quality cells", m);
        more_streams_.emplace_back(seed, "quality columns", m);
        Row& row = rows_.emplace_back();
        std::vector<double>& errors = errors_.emplace_back();
        for (const ScoredColumn& column : goal.columns) {
            const QualityCell& cell = column.cell(table, m);
            row.push_back(cell.value);
            errors.push_back(is_joint(cell) ? 0 : cell.standard_error.value_or(0));
            if (!is_joint(cell)) continue;
            places_.emplace_back(rows_.size() - 1, row.size() - 1);
            joint_.add(cell.shares);
        }
    }
    for (const ScoredColumn& column : goal.columns) {
        at_.push_back(column.name.dimension ? static_cast<std::size_t>(*column.name.dimension)
                                            : dimension_count + more_++);
    }
}

void RowDraws::next(std::vector<Row>& out) {
    out = rows_;
    std::vector<float> noise(dimension_count + more_);
    for (std::size_t i = 0; i < out.size(); ++i) {
        streams_[i].fill_normal(std::span(noise).first(dimension_count));
        more_streams_[i].fill_normal(std::span(noise).subspan(dimension_count));
        for (std::size_t c = 0; c < out[i].size(); ++c) {
            if (out[i][c]) *out[i][c] += errors_[i][c] * static_cast<double>(noise[at_[c]]);
        }
    }
    joint_.next();
    for (std::size_t j = 0; j < places_.size(); ++j)
        *out[places_[j].first][places_[j].second] += joint_[j];
}

std::vector<double> signed_goals(const Goal& goal, const std::vector<Row>& rows) {
    std::vector<double> out;
    for (const Row& row : rows) out.push_back(goal.sign * goal_of(goal, row));
    return out;
}

std::vector<DrawnModel> draw_ranks(Goal goal, RowDraws& draws, const QubaOptions& options) {
    std::vector<DrawnModel> drawn(draws.rows().size());
    std::vector<Row> rows;
    for (std::uint32_t r = 0; r < options.replicates; ++r) {
        throw_if_stopped();
        draws.next(rows);
        if (!goal.is_product()) scale_again(goal, rows, options.trim);
        const std::vector<double> scores = signed_goals(goal, rows);
        const std::vector<std::uint32_t> ranks = ranks_of(scores);
        for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i].add(scores[i], ranks[i], r);
    }
    return drawn;
}

std::optional<UnsureFactor> unsure_factor(const Goal& goal, const QualityTable& table,
                                          std::size_t model) {
    if (goal.columns.size() < 2 || !goal.is_product()) return std::nullopt;
    std::optional<UnsureFactor> found;
    for (std::size_t c = 0; c < goal.columns.size(); ++c) {
        const QualityCell& cell = goal.columns[c].cell(table, model);
        const double error = cell.standard_error.value_or(0);
        if (!(error > 0) || *cell.value >= sure_errors * error) continue;
        const bool divisor = goal.powers[c] < 0;
        if (!found || divisor) found = UnsureFactor{goal.columns[c].name.name, divisor};
    }
    return found;
}

}  // namespace assay::quality
