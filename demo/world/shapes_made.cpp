#include "demo/world/shapes.h"

namespace assay::world {
namespace {

enum : int {
    airplane = 0,
    balloon = 1,
    boat = 3,
    car = 5,
    castle = 6,
    cup = 8,
    guitar = 11,
    hammer = 12,
    house = 13,
    key = 14,
    umbrella = 19
};

// clang-format off
constexpr LayerRow made_rows[] = {
    {airplane, Fill::dark, "R 22 40 30 58 4 R 70 40 78 58 4"},
    {airplane, Fill::body, "M 50 2 C 56 2 59 12 59 22 L 59 34 L 98 60 L 98 70 L 59 58 L 57 78 L 72 89 L 72 96 L 50 91 L 28 96 L 28 89 L 43 78 L 41 58 L 2 70 L 2 60 L 41 34 L 41 22 C 41 12 44 2 50 2 Z"},
    {airplane, Fill::glass, "M 44 14 Q 50 7 56 14 L 55 20 L 45 20 Z"},
    {airplane, Fill::third, "M 48.5 72 L 51.5 72 L 52 93 L 48 93 Z"},

    {balloon, Fill::dark, "K 1.2 40 78 44 88; K 1.2 50 80 50 88; X"},
    {balloon, Fill::body, "M 50 2 C 78 2 93 22 91 43 C 89 60 68 70 60 80 L 40 80 C 32 70 11 60 9 43 C 7 22 22 2 50 2 Z"},
    {balloon, Fill::second, "R 39 77 61 81 1"},
    {balloon, Fill::wood, "M 42 87 L 58 87 L 56 98 L 44 98 Z"},

    {boat, Fill::wood, "R 47.6 4 51.4 64 1"},
    {boat, Fill::light, "M 54 7 C 76 22 88 40 91 55 L 54 55 Z"},
    {boat, Fill::third, "M 45 13 C 30 28 18 42 14 55 L 45 55 Z"},
    {boat, Fill::accent, "M 49.5 2 L 62 5 L 49.5 9 Z"},
    {boat, Fill::body, "M 3 60 L 97 60 C 95 78 85 94 72 94 L 28 94 C 15 94 5 78 3 60 Z"},
    {boat, Fill::second, "R 2 58 98 64 2.5"},

    {car, Fill::body, "M 2 66 C 2 55 8 51 20 49 L 31 32 C 33 29 36 27 40 27 L 63 27 C 68 27 71 29 74 32 L 85 48 C 94 50 98 56 98 66 L 98 72 C 98 75 96 77 93 77 L 7 77 C 4 77 2 75 2 71 Z"},
    {car, Fill::glass, "M 38 33 L 50 33 L 50 48 L 28 48 Z M 54 33 L 64 33 L 76 48 L 54 48 Z"},
    {car, Fill::dark, "E 25 76 12 12 E 76 76 12 12"},
    {car, Fill::metal, "E 25 76 5.6 5.6 E 76 76 5.6 5.6"},
    {car, Fill::light, "E 94 60 3 4"},
    {car, Fill::accent, "R 2 57 5 64 1"},

    {castle, Fill::accent, "M 51 2 L 66 6 L 51 11 Z"},
    {castle, Fill::wood, "R 49 1 51 20 0.5"},
    {castle, Fill::body, "M 4 95 L 4 30 L 11 30 L 11 36 L 15 36 L 15 30 L 22 30 L 22 36 L 26 36 L 26 30 L 32 30 L 32 50 L 36 50 L 36 17 L 42 17 L 42 23 L 47 23 L 47 17 L 53 17 L 53 23 L 58 23 L 58 17 L 64 17 L 64 50 L 68 50 L 68 30 L 74 30 L 74 36 L 78 36 L 78 30 L 85 30 L 85 36 L 89 36 L 89 30 L 96 30 L 96 95 Z"},
    {castle, Fill::dark, "M 40 95 L 40 76 C 40 62 60 62 60 76 L 60 95 Z R 14 48 22 60 3 R 78 48 86 60 3 R 46 34 54 46 3"},

    {cup, Fill::body, "M 66 36 C 98 30 100 78 66 76 L 66 66 C 84 68 84 44 66 46 Z"},
    {cup, Fill::body, "M 14 26 L 72 26 L 69 82 C 69 90 63 94 57 94 L 29 94 C 23 94 17 90 17 82 Z"},
    {cup, Fill::light, "E 43 26 29 8"},
    {cup, Fill::brown, "E 43 27 25.5 5.8"},
    {cup, Fill::light, "K 1.8 34 18 37 12 33 7 36 2; K 1.8 49 18 52 12 48 7 51 2;"},

    {guitar, Fill::brown, "R 46 12 54 58 1"},
    {guitar, Fill::wood, "M 43 1 L 57 1 L 58.5 15 L 41.5 15 Z"},
    {guitar, Fill::metal, "E 41 5 2 2 E 41 11 2 2 E 59 5 2 2 E 59 11 2 2"},
    {guitar, Fill::body, "M 50 36 C 64 35 72 42 70 52 C 69 58 79 63 79 76 C 79 90 66 98 50 98 C 34 98 21 90 21 76 C 21 63 31 58 30 52 C 28 42 36 35 50 36 Z"},
    {guitar, Fill::brown, "R 46 30 54 58 1 E 50 62 9.5 9.5 R 37 82 63 87 1.5"},
    {guitar, Fill::light, "K 0.8 47.8 8 47.8 84; K 0.8 52.2 8 52.2 84;"},

    {hammer, Fill::wood, "M 44 24 L 57 24 L 59 92 C 59 98 42 98 42 92 Z"},
    {hammer, Fill::body, "M 12 8 L 24 8 L 26 11 L 66 11 C 80 11 92 20 96 38 C 88 30 78 28 68 32 L 26 32 L 24 36 L 12 36 C 8 36 8 8 12 8 Z"},

    {house, Fill::dark, "R 68 10 78 34 1"},
    {house, Fill::body, "R 14 42 86 95 0.5"},
    {house, Fill::second, "M 50 3 L 98 47 L 92 52 L 86 47 L 14 47 L 8 52 L 2 47 Z"},
    {house, Fill::wood, "R 42 64 58 95 1"},
    {house, Fill::accent, "E 55 80 1.6 1.6"},
    {house, Fill::light, "R 19 56 37 74 1 X"},
    {house, Fill::glass, "R 21 58 27.2 64.2 0.3 R 28.8 58 35 64.2 0.3 R 21 65.8 27.2 72 0.3 R 28.8 65.8 35 72 0.3 X"},
    {house, Fill::glass, "E 50 30 6 6"},

    {key, Fill::body, "E 25 50 24 24 H E 21 50 10 10 R 44 43 97 57 3 R 72 54 80 72 1.5 R 86 54 95 75 1.5"},

    {umbrella, Fill::brown, "K 3 50 10 50 86 52 92 57 94 61 91 62 86; K 2.4 50 3 50 10;"},
    {umbrella, Fill::body, "M 2 54 C 4 24 26 7 50 7 C 74 7 96 24 98 54 Q 90 45 82 54 Q 74 45 66 54 Q 58 45 50 54 Q 42 45 34 54 Q 26 45 18 54 Q 10 45 2 54 Z"},
    {umbrella, Fill::second, "K 1.2 50 8 38 22 34 52; K 1.2 50 8 25 24 18 52; X"},
};
// clang-format on

}  // namespace

std::span<const LayerRow> made_layers() {
    return made_rows;
}

}  // namespace assay::world
