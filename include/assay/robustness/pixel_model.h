// A classifier as an attack sees it: of pixels, with the normalisation inside.
#pragma once

#include <memory>

#include "assay/image/preprocess.h"
#include "assay/model/classifier.h"
#include "assay/robustness/attack.h"

namespace assay {

/// What the numbers are that an attack changes, and so what its budget means.
enum class AttackSpace {
    pixels,  ///< pixels / 255 after resize and crop, before the normalisation
    /// The normalised input itself, cut to [0, 1] by every step: how the 326 models of Hesse et
    /// al., "Beyond accuracy", TMLR 2026, were attacked. Not comparable between models (8/255 of
    /// the normalised unit is about 1.8/255 in pixels), and the cut alone erases all that is darker
    /// than the mean colour.
    normalised_clamped,
};
std::string_view name_of(AttackSpace);

/// The classifier's input as a function of pixels in [0, 1], planes in the order of the channels
/// that the model is fed: (255 x scale - mean) / std. An image of whole grey levels gets the bits
/// that preprocess_into() gives. Of a model of gray images (channel_order gray), an image is one
/// plane, and the first of the three equal ones that preprocess_into() makes.
std::unique_ptr<AttackedModel> pixel_model(std::shared_ptr<Classifier> classifier,
                                           const Preprocess& preprocess,
                                           AttackSpace space = AttackSpace::pixels);

/// A gradient of a grey image: says what is missing before an hour has passed. Throws what the
/// classifier throws; bad_input: it has no gradients.
void try_gradient(AttackedModel& model);

/// The preprocessing that makes what pixel_model() of the same space is given: of `preprocess`,
/// with bytes / 255 for its numbers; in normalised_clamped, `preprocess` itself.
Preprocess attacked_preprocess(const Preprocess& preprocess, AttackSpace space);

}  // namespace assay
