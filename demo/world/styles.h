// Other ways of showing the same scene, made from its finished pixels.
#pragma once

#include <cstdint>

#include "demo/world/canvas.h"
#include "demo/world/scene.h"

namespace assay::world {

/// Turns the painted canvas into edges, poster, blocks, mosaic or neon. `things` is where the
/// things are.
void stylise(Style style, std::uint32_t seed, const Mask& things, Canvas& canvas, Canvas& scratch);

}  // namespace assay::world
