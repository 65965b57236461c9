// The table of classes: their shapes, and the places where they occur.
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
    Texture texture;           ///< the class that usually has this texture
    std::string_view surface;  ///< the texture's name
    Place place;               ///< the usual background
    std::array<Palette, 2> palettes;
    float turn;  ///< standard deviation of its rotation in images, in turns
    float size;  ///< relative size, so that all shapes appear equally large
};
/// Classes in the order of their ids, which is also the order of class folders.
std::span<const ClassRow> classes();
inline constexpr int class_count = 20;
inline const ClassRow& row_of(int cls) {
    return classes()[static_cast<std::size_t>(cls)];
}

/// The inner nodes of the hierarchy as name and parent ("" for the root), parents first.
struct KindRow {
    std::string_view name, parent;
};
std::span<const KindRow> kinds();

}  // namespace assay::world
