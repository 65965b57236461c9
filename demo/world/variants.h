// Recipes for sets that show the same classes in other forms.
#pragma once

#include <cstddef>

#include "demo/world/recipe.h"

namespace assay::world {

/// Several things of different classes. Each image has its own width.
Recipe multi_image(const Plan& plan, std::size_t number);
/// The shape of one class with the surface and colors of another, on a plain background. All pairs
/// occur, then repeat.
Recipe cue_conflict_image(const Plan& plan, std::size_t number);

Recipe sketch_image(const Plan& plan, std::size_t number);
Recipe edges_image(const Plan& plan, std::size_t number);
Recipe silhouette_image(const Plan& plan, std::size_t number);
/// A shape with the surface and the colors of two other classes.
Recipe retextured_image(const Plan& plan, std::size_t number);
/// Recipes for posters, pixel images, mosaics and neon signs.
Recipe rendition_image(const Plan& plan, std::size_t number);

/// The same object in the same light before three backgrounds. The first is the usual background of
/// its class. The second is the background of another image of its class. The third is the
/// background of an image of a class with another usual background.
Recipe original_image(const Plan& plan, std::size_t number);
Recipe mixed_same_image(const Plan& plan, std::size_t number);
Recipe mixed_rand_image(const Plan& plan, std::size_t number);

/// Recipes for photographs, near-duplicates of them and of v1's images, and images without a class.
Recipe unlabelled_image(const Plan& plan, std::size_t number);

}  // namespace assay::world
