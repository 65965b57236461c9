// How images came to be asked about, and for how many others each stands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "mad/competition_rows.h"

namespace assay::mad {

struct ImageDraw {
    /// Images that were there for the first time when the same round of questions drew.
    std::int64_t stratum = 0;
    std::optional<std::int64_t> number;  ///< of the draw, in the order of all; unset: not drawn
    /// Of the draw, among the images of its stratum that were not drawn yet; unset: it was no draw
    /// by chance.
    std::optional<double> probability;
};
/// By image; those that no round with a budget saw are not there.
using ImageDraws = std::map<std::int64_t, ImageDraw>;
ImageDraws read_draws(const Competition& competition);
/// Inside a transaction of the caller.
void write_draws(Database& database, const ImageDraws& draws);

/// For how many images of its stratum each image stands that was asked about (inclusion_weights()).
/// Images that were asked without a draw count as drawn uniformly, those that were asked most
/// shared first stand for one each. Images that were excluded, or served removed classifiers
/// alone, count for nothing. Empty: all weigh the same. `selected`: read_selected().
std::map<std::int64_t, double> image_weights(const Competition& competition,
                                             const std::vector<SelectedRow>& selected,
                                             const ImageDraws& draws);

}  // namespace assay::mad
