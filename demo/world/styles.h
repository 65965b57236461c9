// Makes other renderings of the same scene from its finished pixels.
#pragma once

#include <cstdint>

#include "demo/world/canvas.h"
#include "demo/world/scene.h"

namespace assay::world {

/// Converts the painted canvas to edges, poster, blocks, mosaic or neon. `things` is the area of
/// the things.
void stylise(Style style, std::uint32_t seed, const Mask& things, Canvas& canvas, Canvas& scratch);

}  // namespace assay::world
