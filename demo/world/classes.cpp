#include "demo/world/classes.h"

namespace assay::world {
namespace {

constexpr Palette paint(std::uint32_t base, std::uint32_t second, std::uint32_t third) {
    return {rgb(base), rgb(second), rgb(third)};
}

// clang-format off
constexpr std::array<ClassRow, class_count> class_rows = {{
    {"airplane",  "aircraft",   Texture::panels,   "panels",   Place::sky,
        {paint(0xD9DEE4, 0x8D99A6, 0xC8372D), paint(0xE9E4D4, 0x9C9686, 0x2B5FA5)}, 0.07F, 1.08F},
    {"balloon",   "aircraft",   Texture::stripes,  "stripes",  Place::dusk,
        {paint(0xE4402F, 0xF8D24A, 0x2E62B8), paint(0x7B3FA0, 0xF4F0E6, 0xF09A2C)}, 0.02F, 1.00F},
    {"bird",      "vertebrate", Texture::feathers, "feathers", Place::sky,
        {paint(0x3E78B2, 0x9CC3E0, 0xF2EBD8), paint(0xB5442E, 0xE9A06B, 0xF5E3C8)}, 0.04F, 1.05F},
    {"boat",      "watercraft", Texture::planks,   "planks",   Place::water,
        {paint(0xA9713B, 0x6A4321, 0xF2EDE2), paint(0xB9402F, 0x74231A, 0xF5E9D0)}, 0.025F, 1.00F},
    {"butterfly", "insect",     Texture::rings,    "rings",    Place::meadow,
        {paint(0xF08A24, 0x4A2514, 0xFBE9B0), paint(0x4C6FD0, 0x1C2450, 0xD9ECFA)}, 0.09F, 1.02F},
    {"car",       "landcraft",  Texture::checks,   "checks",   Place::street,
        {paint(0xF6C32C, 0x2B2B2B, 0xFFF3C4), paint(0xE8E8E8, 0xC62828, 0xFFFFFF)}, 0.02F, 1.10F},
    {"castle",    "building",   Texture::stones,   "stones",   Place::dusk,
        {paint(0xA9A297, 0x6F6A62, 0xCDC6B8), paint(0xB99C78, 0x7C6446, 0xDCC6A2)}, 0.01F, 1.02F},
    {"cat",       "vertebrate", Texture::fur,      "fur",      Place::room,
        {paint(0xD98A3D, 0x8E4F1C, 0xF6DDB4), paint(0x8B8680, 0x45413D, 0xD6D0C8)}, 0.025F, 1.00F},
    {"cup",       "household",  Texture::zigzag,   "zigzag",   Place::room,
        {paint(0xF3EEE2, 0x2F7F9E, 0xE0633F), paint(0x35536E, 0xF2C14E, 0xEFEAE0)}, 0.025F, 0.90F},
    {"fish",      "vertebrate", Texture::scales,   "scales",   Place::water,
        {paint(0xF28C38, 0xB4481C, 0xFFE3A6), paint(0x3FA7A0, 0x1C5C66, 0xC9F0DC)}, 0.05F, 1.06F},
    {"flower",    "plant",      Texture::florets,  "florets",  Place::meadow,
        {paint(0xE85D9E, 0xFFF2F7, 0xF7C52F), paint(0x8E5BD0, 0xF0E5FF, 0xF6B73C)}, 0.04F, 1.02F},
    {"guitar",    "household",  Texture::grain,    "grain",    Place::room,
        {paint(0xC98A45, 0x7A4620, 0xE9BE7C), paint(0xA64B2A, 0x5B2413, 0xD98B58)}, 0.09F, 1.12F},
    {"hammer",    "tool",       Texture::hatch,    "hatch",    Place::workshop,
        {paint(0x7D8794, 0x3D4650, 0xBFC8D2), paint(0x54606C, 0x23292F, 0x95A3B0)}, 0.13F, 1.02F},
    {"house",     "building",   Texture::bricks,   "bricks",   Place::street,
        {paint(0xB5523B, 0xE3D3C0, 0x8C3A29), paint(0xC9865A, 0xEFE2CE, 0x9A5C38)}, 0.01F, 1.02F},
    {"key",       "tool",       Texture::waves,    "waves",    Place::workshop,
        {paint(0xDDB33C, 0x8F6A14, 0xF8E49A), paint(0xB9793F, 0x6E3F17, 0xE8BC86)}, 0.16F, 1.10F},
    {"leaf",      "plant",      Texture::veins,    "veins",    Place::forest,
        {paint(0x5DA03A, 0xCFE59A, 0x2F6B22), paint(0xD2622A, 0xF6C66A, 0x8C2F16)}, 0.12F, 1.00F},
    {"mushroom",  "fungus",     Texture::dots,     "dots",     Place::forest,
        {paint(0xC8322B, 0xFBF4EA, 0x8E1D1A), paint(0xC77B30, 0xFFF3DC, 0x8A4E16)}, 0.03F, 1.00F},
    {"tree",      "plant",      Texture::foliage,  "foliage",  Place::forest,
        {paint(0x3F8A3A, 0x1F5527, 0x8CC457), paint(0x6E9A2E, 0x3C611A, 0xC2D45C)}, 0.02F, 1.05F},
    {"turtle",    "vertebrate", Texture::hexagons, "hexagons", Place::beach,
        {paint(0x6F8F3C, 0x33471C, 0xC8CF7A), paint(0x8A6B3A, 0x433117, 0xD3B878)}, 0.03F, 1.05F},
    {"umbrella",  "household",  Texture::plaid,    "plaid",    Place::beach,
        {paint(0xC73A4B, 0x23325C, 0xF4E6C8), paint(0x2F8F83, 0x16403F, 0xF3E9C9)}, 0.05F, 1.05F},
}};

constexpr std::array<KindRow, 17> kind_tree = {{
    {"thing", ""},
    {"living thing", "thing"}, {"made thing", "thing"},
    {"animal", "living thing"}, {"growth", "living thing"},
    {"vertebrate", "animal"}, {"insect", "animal"},
    {"plant", "growth"}, {"fungus", "growth"},
    {"vehicle", "made thing"}, {"building", "made thing"}, {"object", "made thing"},
    {"aircraft", "vehicle"}, {"watercraft", "vehicle"}, {"landcraft", "vehicle"},
    {"household", "object"}, {"tool", "object"},
}};
// clang-format on

constexpr std::array<std::string_view, place_count> place_names = {
    "sky", "dusk", "water", "beach", "meadow", "street", "room", "forest", "workshop"};

}  // namespace

std::span<const ClassRow> classes() {
    return class_rows;
}
std::span<const KindRow> kinds() {
    return kind_tree;
}
std::string_view name_of(Place place) {
    return place_names.at(static_cast<std::size_t>(place));
}

}  // namespace assay::world
