// Records how images were drawn for questions, and how many images each drawn image represents.
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
    /// Probability at the draw, among the undrawn images of its stratum; unset for an image that
    /// was not drawn at random.
    std::optional<double> probability;
};
/// The draws by image. Images that no round with a budget considered are missing.
using ImageDraws = std::map<std::int64_t, ImageDraw>;
ImageDraws read_draws(const Competition& competition);
/// Call this inside a transaction.
void write_draws(Database& database, const ImageDraws& draws);

/// The number of images of its stratum that each asked image represents (inclusion_weights()).
/// Images asked without a draw count as drawn uniformly, and images asked in the order "most shared
/// first" represent one each. Excluded images, and images that only removed classifiers needed,
/// count for nothing. Empty means that all have the same weight. `selected` is read_selected().
std::map<std::int64_t, double> image_weights(const Competition& competition,
                                             const std::vector<SelectedRow>& selected,
                                             const ImageDraws& draws);

}  // namespace assay::mad
