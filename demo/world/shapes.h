// The silhouettes of the twenty things, as layers of outlines.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "demo/world/coverage.h"

namespace assay::world {

/// The filling of a layer. `body` has the texture, `soft` a faint texture. Others are plain.
enum class Fill : std::uint8_t {
    body,
    soft,
    second,
    third,
    dark,
    light,
    glass,
    wood,
    metal,
    leaf,
    skin,
    accent,
    brown
};

/// Outlines in a square of side 2 around the origin, y down. Outlines that are clockwise on the
/// screen are united. Others are holes.
struct Layer {
    Fill fill = Fill::body;
    std::vector<Contour> contours;
};
/// The layers in the order of painting.
struct Shape {
    std::vector<Layer> layers;
};
/// The shapes are built once, on first use. Thread-safe.
const Shape& shape_of(int cls);

/// One layer as text. Coordinates are from 0 to 100, with y down. Each command starts a new outline
/// unless stated otherwise. "M x y", then "L x y", "Q x1 y1 x y", "C x1 y1 x2 y2 x y" and "Z" are
/// as in SVG. "E x y rx ry [turn in degrees]" is an ellipse. "R x0 y0 x1 y1 r" is a rectangle with
/// round corners. "K width x y x y ... ;" is a line with round ends. "H" makes the next outline a
/// hole. "X" repeats the previous outlines mirrored at x = 50.
struct LayerRow {
    int cls;
    Fill fill;
    std::string_view path;
};
/// The definitions are in shapes_living.cpp and shapes_made.cpp.
std::span<const LayerRow> living_layers();
std::span<const LayerRow> made_layers();

/// Throws internal if the text is not such a path.
std::vector<Contour> parse_path(std::string_view text);

}  // namespace assay::world
