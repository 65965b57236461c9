// How many images are enough: a sample whose size is chosen so that the accuracy's interval is as
// narrow as wished.
//
// Stein's two stages (Stein 1945, "A two-sample test for a linear hypothesis whose power is
// independent of the variance"), with Wilson's interval: a pilot sample says between which bounds
// each model's accuracy lies, and the whole sample, the pilot in it, is as large as the least
// favourable accuracy between them needs. The size depends on the pilot alone and is not looked at
// again, so the interval of the whole keeps its coverage (94 to 97 % for 95 %, summed exactly in
// the tests), where stopping at the first interval that is narrow enough would lose some of it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "assay/data/dataset.h"
#include "assay/evaluate/predict.h"

namespace assay {

/// The condition: half of the 95 % interval of top-1 accuracy is at most so wide.
struct Until {
    double half_width = 0.01;
};
/// "half_width(top1) <= 0.01", "half_width(top1) <= 1%". Throws usage: anything else, a width that
/// is not above 0 and below 0.5.
Until parse_until(std::string_view text);

/// Images of the first stage.
inline constexpr std::uint64_t pilot_images = 400;

/// More images than any data set has: what a width that no sample reaches needs.
inline constexpr std::uint64_t most_needed = std::uint64_t{1} << 52;
/// The least n, at least `pilot`, for which Wilson's interval at 95 % is at most 2 * half_width
/// wide whatever the accuracy, as long as it lies in the 99 % Wilson interval of `correct` of
/// `pilot`. `most_needed` or more where that takes more.
std::uint64_t images_needed(const Until& until, std::uint64_t correct, std::uint64_t pilot);

struct UntilResult {
    std::uint64_t pilot = 0;   ///< images of the first stage
    std::uint64_t images = 0;  ///< of the whole sample: as the model with the most needs
};
/// Predicts the pilot (a stratified sample with this seed; its stores are removed again) and says
/// how large the whole must be; at most the data set's size. Throws as predict() does, and
/// bad_input when no image has exactly one label.
UntilResult images_until(std::span<const LoadedModel> models, const Dataset& dataset,
                         const Until& until, std::uint64_t seed, const PredictOptions& options,
                         const ProgressCallback& callback = {});

}  // namespace assay
