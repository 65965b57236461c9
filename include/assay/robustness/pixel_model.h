// A classifier in the form that an attack needs: a function of pixels, including the normalization.
#pragma once

#include <memory>

#include "assay/image/preprocess.h"
#include "assay/model/classifier.h"
#include "assay/robustness/attack.h"

namespace assay {

/// The space of the numbers that an attack changes, which determines the meaning of its budget.
enum class AttackSpace {
    pixels,  ///< pixels / 255 after resize and crop, before the normalisation
    /// The normalized input itself, clipped to [0, 1] by every step. The 326 models of Hesse et
    /// al., "Beyond accuracy", TMLR 2026, were attacked in this way. It is not comparable between
    /// models: 8/255 of the normalized unit is about 1.8/255 in pixels. The clipping also removes
    /// everything that is darker than the mean color.
    normalised_clamped,
};
std::string_view name_of(AttackSpace);

/// The classifier's input as a function of pixels in [0, 1], planes in the order of the model's
/// channels: (255 x scale - mean) / std. An image of whole gray levels gets the same bits as from
/// preprocess_into(). For a model of gray images (channel_order gray), an image is one plane,
/// because preprocess_into() makes three equal planes.
std::unique_ptr<AttackedModel> pixel_model(std::shared_ptr<Classifier> classifier,
                                           const Preprocess& preprocess,
                                           AttackSpace space = AttackSpace::pixels);

/// Computes a gradient for a gray image, so that problems are reported immediately and not after an
/// hour. Throws the classifier's errors; bad_input if it has no gradients.
void try_gradient(AttackedModel& model);

/// The preprocessing that makes the input for pixel_model() of the same space: `preprocess` with
/// bytes / 255 as numbers; in normalised_clamped, `preprocess` itself.
Preprocess attacked_preprocess(const Preprocess& preprocess, AttackSpace space);

}  // namespace assay
