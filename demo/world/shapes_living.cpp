#include "demo/world/shapes.h"

namespace assay::world {
namespace {

enum : int {
    bird = 2,
    butterfly = 4,
    cat = 7,
    fish = 9,
    flower = 10,
    leaf = 15,
    mushroom = 16,
    tree = 17,
    turtle = 18
};

// clang-format off
constexpr LayerRow living_rows[] = {
    {bird, Fill::dark, "K 2 46 66 44 84 52 84; K 2 54 66 53 84 61 84;"},
    {bird, Fill::accent, "M 80 26 L 98 32 L 80 37 Z"},
    {bird, Fill::body, "E 69 31 16 15 M 80 38 C 80 62 62 72 46 71 C 36 71 28 66 24 60 L 4 74 L 2 62 L 22 48 C 30 36 42 34 56 28 Z"},
    {bird, Fill::second, "M 62 42 C 62 56 52 64 40 64 C 30 64 22 58 12 60 C 22 50 30 40 42 38 C 52 36 60 36 62 42 Z"},
    {bird, Fill::light, "E 74 28 4.4 4.4"},
    {bird, Fill::dark, "E 75 28 2.6 2.6"},

    {butterfly, Fill::dark, "K 1.8 49 36 43 22 36 15; E 36 15 2 2 X"},
    {butterfly, Fill::body, "M 48 46 C 42 18 18 4 7 12 C -2 22 6 52 26 54 C 36 55 44 52 48 48 Z M 48 50 C 34 50 14 58 16 74 C 18 92 38 92 44 76 C 47 68 48 58 48 50 Z X"},
    {butterfly, Fill::dark, "E 50 54 3.6 24 E 50 32 4 5"},

    {cat, Fill::body, "K 9 70 88 88 86 92 72 84 62 82 54;"},
    {cat, Fill::body, "M 36 40 C 24 54 20 74 22 94 L 78 94 C 80 74 76 54 64 40 Z"},
    {cat, Fill::light, "E 50 66 10 17"},
    {cat, Fill::soft, "E 38 92 10 6 E 62 92 10 6"},
    {cat, Fill::body, "M 24 4 L 40 16 C 46 14 54 14 60 16 L 76 4 L 76 30 C 76 44 64 52 50 52 C 36 52 24 44 24 30 Z"},
    {cat, Fill::skin, "M 28 12 L 36 18 L 29 24 Z X"},
    {cat, Fill::light, "E 39 31 5.4 4.8 X"},
    {cat, Fill::dark, "E 39 31 2.2 4.4 X"},
    {cat, Fill::skin, "M 46 39 L 54 39 L 50 43 Z"},
    {cat, Fill::dark, "K 1 40 44 20 41; K 1 40 46 21 48; X"},

    {fish, Fill::second, "M 46 30 C 50 12 66 10 78 22 L 72 34 Z M 46 70 C 48 82 58 86 66 82 L 62 68 Z"},
    {fish, Fill::body, "M 97 50 C 86 28 60 20 42 27 C 32 31 26 38 21 44 L 3 24 C 9 42 9 58 3 76 L 21 56 C 26 63 32 69 42 73 C 60 80 86 72 97 50 Z"},
    {fish, Fill::soft, "M 97 50 C 91 37 82 30 73 26 C 66 40 66 60 73 74 C 82 70 91 63 97 50 Z"},
    {fish, Fill::second, "M 64 52 C 56 48 46 52 44 62 C 52 66 62 62 64 52 Z"},
    {fish, Fill::light, "E 82 43 5.4 5.4"},
    {fish, Fill::dark, "E 83.2 43 3 3 K 1.4 95 52 88 55;"},

    {flower, Fill::leaf, "K 3.6 50 50 51 74 50 97; M 50 90 C 34 90 24 80 21 68 C 38 68 48 78 50 90 Z M 51 84 C 64 84 74 75 77 63 C 62 63 53 72 51 84 Z"},
    {flower, Fill::body, "E 50 14 11 14 E 72 23 14 11 -25 E 74 47 14 11 32 E 58 60 10 13 -12 E 42 60 10 13 12 E 26 47 14 11 -32 E 28 23 14 11 25 E 50 36 16 16"},
    {flower, Fill::accent, "E 50 36 10 10"},
    {flower, Fill::brown, "E 50 36 5 5"},

    {leaf, Fill::brown, "K 3 50 66 50 86 54 98;"},
    {leaf, Fill::body, "M 50 2 L 59 18 L 68 13 L 64 37 L 77 24 L 81 32 L 95 29 L 90 44 L 98 49 L 76 68 L 79 77 L 52 73 L 50 76 L 48 73 L 21 77 L 24 68 L 2 49 L 10 44 L 5 29 L 19 32 L 23 24 L 36 37 L 32 13 L 41 18 Z"},
    {leaf, Fill::brown, "K 1.2 50 74 50 16; K 1 50 72 80 40; K 1 50 72 20 40;"},

    {mushroom, Fill::light, "M 37 52 L 63 52 C 60 70 62 84 69 94 L 31 94 C 38 84 40 70 37 52 Z"},
    {mushroom, Fill::skin, "M 12 54 L 88 54 C 80 64 66 66 50 66 C 34 66 20 64 12 54 Z"},
    {mushroom, Fill::body, "M 3 50 C 3 22 26 5 50 5 C 74 5 97 22 97 50 C 97 56 92 58 86 58 C 62 53 38 53 14 58 C 8 58 3 56 3 50 Z"},

    {tree, Fill::wood, "M 44 52 L 56 52 L 58 84 L 66 96 L 34 96 L 42 84 Z"},
    {tree, Fill::body, "E 50 24 24 20 E 28 38 20 18 E 72 38 20 18 E 22 54 17 14 E 78 54 17 14 E 50 52 26 18 E 50 40 26 20"},

    {turtle, Fill::skin, "E 90 52 9.5 8.5 K 9 80 64 90 54; M 4 72 L 16 58 L 20 66 Z"},
    {turtle, Fill::skin, "R 20 60 35 82 5 R 64 60 79 82 5"},
    {turtle, Fill::body, "M 10 64 C 12 32 34 18 50 18 C 68 18 84 34 88 64 Z"},
    {turtle, Fill::second, "R 7 60 91 68 4"},
    {turtle, Fill::dark, "E 93 49 2 2 K 1.2 98 55 92 57;"},
};
// clang-format on

}  // namespace

std::span<const LayerRow> living_layers() {
    return living_rows;
}

}  // namespace assay::world
