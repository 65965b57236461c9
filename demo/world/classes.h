// The table of classes: what each looks like and where it lives.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "demo/world/colour.h"

namespace assay::world {

enum class Texture {
    panels,
    stripes,
    feathers,
    planks,
    rings,
    checks,
    stones,
    fur,
    zigzag,
    scales,
    florets,
    grain,
    hatch,
    bricks,
    waves,
    veins,
    dots,
    foliage,
    hexagons,
    plaid
};
inline constexpr int texture_count = 20;

enum class Place { sky, dusk, water, beach, meadow, street, room, forest, workshop };
inline constexpr int place_count = 9;
std::string_view name_of(Place place);

struct ClassRow {
    std::string_view id;       ///< also the name of its shape
    std::string_view kind;     ///< its node in the hierarchy
    Texture texture;           ///< at home on this class
    std::string_view surface;  ///< the texture's name
    Place place;               ///< the usual background
    std::array<Palette, 2> palettes;
    float turn;  ///< how far it leans in images, in turns (one standard deviation)
    float size;  ///< relative to the others, so that all look equally large
};
/// In the order of their ids, so that class folders sort in the same way.
std::span<const ClassRow> classes();
inline constexpr int class_count = 20;
inline const ClassRow& row_of(int cls) {
    return classes()[static_cast<std::size_t>(cls)];
}

/// The inner nodes of the hierarchy, parents first: name and parent ("" for the root).
struct KindRow {
    std::string_view name, parent;
};
std::span<const KindRow> kinds();

}  // namespace assay::world
