// Notes about the cells of chosen models that readers need.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/quality/quba.h"

namespace assay::quality {

/// The notes on cells of dimensions with a weight. Each appears once with the number of models:
/// "calibration error of 32 models: softmax was probably applied twice".
std::vector<std::string> notes_on_cells(const QualityTable& table,
                                        const std::vector<std::size_t>& models,
                                        const PerDimension<double>& weights);

/// A warning if values that are used have no standard error; parameters need none.
std::optional<std::string> unknown_errors(const QualityTable& table,
                                          const std::vector<std::size_t>& models,
                                          const PerDimension<double>& weights);

/// True if the cell has a value and shares, so that its error is correlated with others.
inline bool is_joint(const QualityCell& cell) {
    return cell.value && !cell.shares.empty();
}
PerDimension<DrawnCells> draws_of_cells(const QualityTable& table,
                                        const std::vector<std::size_t>& models,
                                        const PerDimension<double>& weights);
/// The note "Cells measured on the same images err together: accuracy, ...; all others
/// independently."; "" without such cells.
std::string text_of_draws(const PerDimension<DrawnCells>& draws);
/// The same for the dimensions that have such cells.
std::map<std::string, DrawnCells> drawn_by_name(const PerDimension<DrawnCells>& draws);

/// A warning for each dimension with a weight whose models were measured on different images, as
/// far as shares and numbers of images show this. (Shape bias only counts the decided images, so
/// its numbers of images differ.)
std::vector<std::string> other_images(const QualityTable& table,
                                      const std::vector<std::size_t>& models,
                                      const PerDimension<double>& weights);

/// The warning if every dimension counts.
PerDimension<double> equal_weights();

}  // namespace assay::quality
