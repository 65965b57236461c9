// The recipe of an image, which has its contents before it is painted. It depends only on the seed,
// the set and the number of the image.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "demo/world/scene.h"
#include "demo/world/world.h"

namespace assay::world {

struct Recipe {
    std::string path;         ///< below the set's folder
    int cls = -1;             ///< the class of its folder; -1 means no class
    std::vector<int> labels;  ///< the visible classes, ascending
    Scene scene;
    double difficulty = 0;  ///< 0 easy to 1 hard
    double rate = 0;        ///< the share of all people who would say that `cls` is in it
    int place_class =
        -1;  ///< the class with this usual background, main class first; -1 for others
    std::string duplicate_of{};
};

/// The data that all recipes of a data set need.
struct Plan {
    WorldSpec spec;
    std::vector<std::uint32_t> replicated;  ///< v2's images, as numbers of candidates
};

/// The parameters of photographs of one object.
struct PhotoManner {
    double hardness = 1.7;  ///< difficulty = u^(1/...); larger values are easier
    double wrong = 0;       ///< proportion of images without their class
    double company = 0.16;  ///< probability of a second object of another class, half for a third
    double home = 0.7;      ///< probability of the usual background
};

/// A stream of draws with the shapes that recipes need.
class Draw {
public:
    Draw(std::uint64_t seed, std::string_view purpose, std::uint64_t item)
        : stream_(seed, purpose, item) {}
    float unit() { return static_cast<float>(stream_.next_u32() >> 8) * 0x1.0p-24F; }
    float between(float low, float high) { return mix(low, high, unit()); }
    /// Approximately normal: a sum of four uniform draws, within 3.5 standard deviations.
    float bell() {
        float sum = unit();  // separate steps, because compilers choose the order of operands
        for (int i = 1; i < 4; ++i) sum += unit();
        return (sum - 2) * 1.7320508F;
    }
    bool chance(double p) { return unit() < p; }
    int below(int bound) {
        return static_cast<int>(stream_.below(static_cast<std::uint64_t>(bound)));
    }
    std::uint32_t bits() { return stream_.next_u32(); }
    RandomStream& stream() { return stream_; }

private:
    RandomStream stream_;
};

/// A thing of a class in its usual form, at full size in the middle of an image of the given
/// side.
Thing usual_thing(int cls, float side, Draw& draw);
/// A class other than `cls`, all with equal probability.
int other_class(int cls, Draw& draw);
/// The colors of a class, from one of its two sets, with a slightly different hue.
Palette some_palette(int cls, Draw& draw);
/// A light from the upper left or right. `unrest` is from 0 to 1.
Light some_light(float unrest, Draw& draw);

/// A photograph of class `cls`, for train, v1 and the candidates for v2.
Recipe photograph(const Plan& plan, std::string_view purpose, std::uint64_t number, int cls,
                  const PhotoManner& manner);

/// Returns a path such as "bird/bird_00012.png".
std::string class_path(int cls, std::uint64_t number);

}  // namespace assay::world
