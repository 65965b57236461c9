// One adversarial image in a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "assay/evaluate/attack.h"

namespace assay::attack {

/// Images are planes in the classifier's order, in [0, 1]. Files have red, green and blue, which
/// are equal for a gray image.
struct AttackFile {
    ImageForm form = ImageForm::npy;
    ImageShape shape;
    bool bgr = false;  ///< true if the planes are blue, green, red
    Norm norm = Norm::linf;
    double eps = 0;

    /// PNG: the level of each element is the closest whole one within eps of the original (linf),
    /// or rounded towards the original (l2). So the file is also within the budget.
    /// `original` must have whole levels.
    std::vector<std::byte> encoded(std::span<const float> original,
                                   std::span<const float> image) const;
    /// Reads into planes; returns false if the file does not exist, contains no image of this
    /// shape, or is far too large.
    bool read(const std::filesystem::path& file, std::span<float> planes) const;
    /// True if the image is within the budget, up to the rounding of floats, and inside the box.
    bool allows(std::span<const float> original, std::span<const float> image) const;

private:
    std::size_t plane_of(std::size_t colour) const {
        if (shape.channels == 1) return 0;
        return bgr ? 2 - colour : colour;
    }
};

}  // namespace assay::attack
