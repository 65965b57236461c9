// Recipes of the sets that show the same classes in other ways.
#pragma once

#include <cstddef>

#include "world/recipe.h"

namespace assay::world {

/// Several things of different classes; number 0, 1, ... each in a picture of its own width.
Recipe multi_picture(const Plan& plan, std::size_t number);
/// The shape of one class with the surface and colours of another, on a plain ground: all pairs, then again.
Recipe cue_conflict_picture(const Plan& plan, std::size_t number);

Recipe sketch_picture(const Plan& plan, std::size_t number);
Recipe edges_picture(const Plan& plan, std::size_t number);
Recipe silhouette_picture(const Plan& plan, std::size_t number);
/// The surface and the colours of two other classes.
Recipe retextured_picture(const Plan& plan, std::size_t number);
/// Posters, pixel pictures, mosaics and neon signs.
Recipe rendition_picture(const Plan& plan, std::size_t number);

/// The same thing in the same light before its class's usual place; before that of another picture of its class; before
/// that of a picture of a class from elsewhere.
Recipe original_picture(const Plan& plan, std::size_t number);
Recipe mixed_same_picture(const Plan& plan, std::size_t number);
Recipe mixed_rand_picture(const Plan& plan, std::size_t number);

/// Photographs, near-duplicates of them and of v1's pictures, and pictures of no class.
Recipe unlabelled_picture(const Plan& plan, std::size_t number);

}  // namespace assay::world
