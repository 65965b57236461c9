// Records how images were drawn for questions, and how many images each represents.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "mad/competition_rows.h"

namespace assay::mad {

struct ImageDraw {
    /// Images that first appeared in the same round of questions.
    std::int64_t stratum = 0;
    std::optional<std::int64_t> number;  ///< number of the draw, in the order of all draws; unset
                                         ///< if not drawn
    /// Probability at the draw, among the images of its stratum that were not drawn yet; unset if
    /// it was no random draw.
    std::optional<double> probability;
};
/// By image. Images that no round with a budget saw are missing.
using ImageDraws = std::map<std::int64_t, ImageDraw>;
ImageDraws read_draws(const Competition& competition);
/// Call inside a transaction.
void write_draws(Database& database, const ImageDraws& draws);

/// The number of images of its stratum that each asked image represents (inclusion_weights()).
/// Images asked without a draw count as drawn uniformly, and images asked in the order "most shared
/// first" represent one each. Excluded images, and images that only removed classifiers needed,
/// count for nothing. Empty means that all have the same weight. `selected`: read_selected().
std::map<std::int64_t, double> image_weights(const Competition& competition,
                                             const std::vector<SelectedRow>& selected,
                                             const ImageDraws& draws);

}  // namespace assay::mad
