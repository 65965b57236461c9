// The columns that a score weighs: the nine dimensions, and any other column of numbers of a table.
// Each has a direction, a scale and standard errors.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/quality/columns.h"

namespace assay::quality {

struct ScoredColumn {
    ColumnName name;
    bool higher_is_better = true;
    double weight = 0;
    double mean = 0, deviation = 1;  ///< center and scale, for columns with a weight
    std::string scale_from;          ///< "published", "these models" or "given"
    /// The cells of a column that is not a dimension, by model of the table.
    std::vector<QualityCell> cells;

    const QualityCell& cell(const QualityTable& table, std::size_t model) const {
        return name.dimension ? table.models[model].cell(*name.dimension) : cells[model];
    }
    double sign() const { return higher_is_better ? 1 : -1; }
};

/// A column without a weight: a dimension by any of its names, or a column of the table. The
/// standard errors of a column X come from X_se (or X_standard_error). Otherwise they come from
/// X_low and X_high, the ends of 95 % intervals. Without these, values are exact. Only the cells of
/// `models` are read. Throws usage as quality_columns() does; bad_input for a negative standard
/// error, one end without the other, or a value outside its interval.
ScoredColumn column_named(const QualityTable& table, std::string_view name,
                          const std::vector<std::size_t>& models);

/// The nine dimensions, followed by the columns that `weights` names (an input of weights_named()
/// that may also name columns). If it names one, base weights do not count for dimensions without
/// any value, and `notes` gets a line about them. Scales are not set. Throws usage for unknown
/// names, numbers, and if all weights are 0.
std::vector<ScoredColumn> weighted_columns(const QualityTable& table,
                                           const std::vector<std::size_t>& models,
                                           std::string_view weights,
                                           std::vector<std::string>& notes);

/// Sets the directions of the columns that are not dimensions. Throws usage for another form, a
/// column that is not among them, and a column whose direction is not known.
void set_directions(std::vector<ScoredColumn>& columns, const ColumnOptions& options);

/// The scales of columns with a weight: for dimensions the published constants or, if `own`, those
/// of the models; for others the given ones, or those of the models. Excludes the proportion
/// `trim` on each side. Throws usage as set_directions() does; bad_input for fewer than three
/// values, and if all values are equal.
void set_scales(std::vector<ScoredColumn>& columns, const QualityTable& table,
                const std::vector<std::size_t>& models, const ColumnOptions& options, bool own,
                double trim);

/// Centers and scales a column by `values`, which get sorted. `when` begins errors. Throws
/// bad_input for fewer than three values without the trimmed ones, equal values, and too large
/// ones.
void scale_by(ScoredColumn& column, std::vector<double>& values, double trim,
              std::string_view when);

/// True for a value without a standard error above 0.
inline bool is_exact(const QualityCell& cell) {
    return cell.value.has_value() && !(cell.standard_error.value_or(0) > 0);
}

/// The weights of the nine dimensions among the columns.
PerDimension<double> dimension_weights(const std::vector<ScoredColumn>& columns);

/// Notes on the columns that are not dimensions: their direction, scale and errors.
std::vector<std::string> notes_on_columns(const std::vector<ScoredColumn>& columns,
                                          const QualityTable& table,
                                          const std::vector<std::size_t>& models);

/// True if the weights name a column that is not a dimension.
bool names_a_column(std::string_view weights);
/// Throws usage with the columns of numbers if the models have no value of a dimension, and the
/// weights name no other column.
void refuse_no_column(const QualityTable& table, std::string_view weights,
                      const std::vector<std::size_t>& models);
/// The columns of numbers or no value that are not dimensions, with at least one number.
std::vector<std::string> columns_of_numbers(const QualityTable& table,
                                            std::span<const std::size_t> models);
/// For messages: the names of the columns of numbers that are not dimensions, or "none".
std::string listed_columns(const QualityTable& table, std::span<const std::size_t> models);

}  // namespace assay::quality
