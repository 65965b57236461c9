// One adversarial image in a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "assay/evaluate/attack.h"

namespace assay::attack {

/// Images are planes as the classifier is fed, in [0, 1]; files are red, green, blue, which are
/// equal of a gray image.
struct AttackFile {
    ImageForm form = ImageForm::npy;
    ImageShape shape;
    bool bgr = false;  ///< the planes' order
    Norm norm = Norm::linf;
    double eps = 0;

    /// PNG: the level of each element is the nearest whole one within eps of the original (linf),
    /// or rounded towards the original (l2), so that the file is within the budget, too.
    /// `original`: of whole levels.
    std::vector<std::byte> encoded(std::span<const float> original,
                                   std::span<const float> image) const;
    /// Into planes; false: the file is not there, or holds no image of this shape, or far more.
    bool read(const std::filesystem::path& file, std::span<float> planes) const;
    /// What may be read: within the budget, but for the rounding of floats, and the box.
    bool allows(std::span<const float> original, std::span<const float> image) const;

private:
    std::size_t plane_of(std::size_t colour) const {
        if (shape.channels == 1) return 0;
        return bgr ? 2 - colour : colour;
    }
};

}  // namespace assay::attack
