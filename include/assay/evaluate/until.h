// Chooses a sample size so that the accuracy's interval has the desired width.
//
// Stein's two stages (Stein 1945, "A two-sample test for a linear hypothesis whose power is
// independent of the variance"), with Wilson's interval. A pilot sample gives bounds for each
// model's accuracy. The whole sample, which includes the pilot, is as large as the least favorable
// accuracy between these bounds requires. The size depends only on the pilot and is not changed
// later, so the interval of the whole keeps its coverage. The coverage is 94 to 97 % for 95 %,
// summed exactly in the tests. Stopping at the first interval that is narrow enough would lose some
// of the coverage.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "assay/data/dataset.h"
#include "assay/evaluate/predict.h"

namespace assay {

/// The condition: half of the width of the 95 % interval of top-1 accuracy is at most this value.
struct Until {
    double half_width = 0.01;
};
/// Parses "half_width(top1) <= 0.01" or "half_width(top1) <= 1%". Throws usage for anything else,
/// and for a width that is not above 0 and below 0.5.
Until parse_until(std::string_view text);

/// Number of images in the first stage.
inline constexpr std::uint64_t pilot_images = 400;

/// A number above the size of any data set: the result for a width that no sample reaches.
inline constexpr std::uint64_t most_needed = std::uint64_t{1} << 52;
/// Returns the smallest n, at least `pilot`, for which Wilson's interval at 95 % is at most 2 *
/// half_width wide. This must hold for every accuracy in the 99 % Wilson interval of `correct` of
/// `pilot`. Returns `most_needed` or more if that requires more.
std::uint64_t images_needed(const Until& until, std::uint64_t correct, std::uint64_t pilot);

struct UntilResult {
    std::uint64_t pilot = 0;   ///< number of images in the first stage
    std::uint64_t images = 0;  ///< size of the whole sample: as required by the model that needs
                               ///< the most
};
/// Predicts the pilot (a stratified sample with this seed; its stores are removed afterwards).
/// Returns the size of the whole sample, at most the data set's size. Throws as predict() does, and
/// bad_input if no image has exactly one label.
UntilResult images_until(std::span<const LoadedModel> models, const Dataset& dataset,
                         const Until& until, std::uint64_t seed, const PredictOptions& options,
                         const ProgressCallback& callback = {});

}  // namespace assay
