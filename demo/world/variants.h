// Recipes for sets that show the same classes in other ways.
#pragma once

#include <cstddef>

#include "demo/world/recipe.h"

namespace assay::world {

/// Several things of different classes; each image has its own width.
Recipe multi_image(const Plan& plan, std::size_t number);
/// The shape of one class with the surface and colours of another, on a plain ground: all pairs,
/// then again.
Recipe cue_conflict_image(const Plan& plan, std::size_t number);

Recipe sketch_image(const Plan& plan, std::size_t number);
Recipe edges_image(const Plan& plan, std::size_t number);
Recipe silhouette_image(const Plan& plan, std::size_t number);
/// The surface and the colours of two other classes.
Recipe retextured_image(const Plan& plan, std::size_t number);
/// Posters, pixel images, mosaics and neon signs.
Recipe rendition_image(const Plan& plan, std::size_t number);

/// The same object in the same light before three backgrounds. The first is the usual background of
/// its class. The second is that of another image of its class. The third is that of an image of a
/// class with another background.
Recipe original_image(const Plan& plan, std::size_t number);
Recipe mixed_same_image(const Plan& plan, std::size_t number);
Recipe mixed_rand_image(const Plan& plan, std::size_t number);

/// Photographs, near-duplicates of them and of v1's images, and images of no class.
Recipe unlabelled_image(const Plan& plan, std::size_t number);

}  // namespace assay::world
