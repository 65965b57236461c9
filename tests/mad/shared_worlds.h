// Simulated competitions whose pairs share images, with a known true ranking. They were defined
// before the posterior that they test, and are harder than its assumptions. All pairs share images,
// classifiers are nearly equal, and lists are very short. Some classifiers make the same errors,
// wrong answers affect all pairs, and some images come from a domain with the reversed order.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/random.h"

namespace assay::mad::shared_test {

enum class Sharing : std::uint8_t {
    own,    ///< each pair has its own order of images
    pool,   ///< each pair has its own order, and there are only 8 k images in all
    total,  ///< all pairs have the same order of images
    /// Half of each list is from one domain, with the same order for all pairs and reversed
    /// strengths. The other half is from the other domain, in a separate order for each pair.
    domains,
};
inline std::string_view name_of(Sharing sharing) {
    constexpr std::array<std::string_view, 4> names = {"own", "pool", "total", "domains"};
    return names[static_cast<std::size_t>(sharing)];
}

struct WorldSetting {
    std::uint32_t m = 6, k = 30;
    double spread = .35;  ///< standard deviation of the classifiers' strengths
    Sharing sharing = Sharing::total;
    bool families = false;  ///< three classifiers share 70 % of the variance of their errors
    double wrong = 0;       ///< probability of a wrong answer to a question, the same for all pairs
    std::uint32_t images = 6000;
};

struct WorldPlace {
    std::uint32_t pair = 0;
    std::uint64_t image = 0;
    bool first = false, second = false;  ///< number of questions answered correctly
    std::uint32_t first_label = 0, second_label = 0;
};

struct SharedWorld {
    std::uint32_t m = 0;
    std::vector<std::array<std::uint32_t, 2>> pairs;
    std::vector<WorldPlace> places;  ///< at most k images for each pair
    /// The row means of the log ratios over all images, from the true answers.
    std::vector<double> truth;

    std::uint64_t list(std::uint32_t pair) const {
        return static_cast<std::uint64_t>(
            std::count_if(places.begin(), places.end(),
                          [&](const WorldPlace& place) { return place.pair == pair; }));
    }
    std::uint64_t different_images() const {
        std::vector<std::uint64_t> images;
        for (const WorldPlace& place : places) images.push_back(place.image);
        std::sort(images.begin(), images.end());
        return static_cast<std::uint64_t>(std::unique(images.begin(), images.end()) -
                                          images.begin());
    }
};

/// Label 0 is correct, and label 1 is correct on one image in eight. Labels 2 to 5 are not.
class WorldImages {
public:
    static constexpr std::uint32_t labels = 6;

    WorldImages(const WorldSetting& setting, std::uint64_t seed) : setting_(setting) {
        RandomStream random(seed, "shared worlds of tests");
        std::vector<double> strength;
        for (std::uint32_t c = 0; c < setting.m; ++c)
            strength.push_back(setting.spread * random.normal());
        predicted_.resize(std::size_t{setting.images} * setting.m);
        for (std::uint32_t g = 0; g < setting.images; ++g) {
            reversed_.push_back(setting.sharing == Sharing::domains && random.below(2) == 0);
            shows_second_.push_back(random.below(8) == 0);
            const double easy = .8 + random.normal();
            const double together = random.normal();
            const std::uint64_t mistaken = random.below(4);
            for (std::uint32_t c = 0; c < setting.m; ++c) {
                const bool relative = setting.families && c < 3;
                const double luck = relative
                                        ? std::sqrt(.7) * together + std::sqrt(.3) * random.normal()
                                        : random.normal();
                const double able = easy + (reversed_[g] ? -strength[c] : strength[c]) + luck;
                const std::uint64_t own = random.below(4);
                predicted_[std::size_t{g} * setting.m + c] =
                    static_cast<std::uint8_t>(able > 0   ? (random.below(4) == 0 ? 1 : 0)
                                              : relative ? 2 + mistaken
                                                         : 2 + own);
            }
            for (std::uint32_t label = 0; label < labels; ++label)
                answer_.push_back(correct(g, label) != (random.uniform() < setting.wrong));
        }
    }
    std::uint8_t label(std::uint32_t image, std::uint32_t classifier) const {
        return predicted_[std::size_t{image} * setting_.m + classifier];
    }
    bool correct(std::uint32_t image, std::uint32_t label) const {
        return label == 0 || (label == 1 && shows_second_[image]);
    }
    bool answered(std::uint32_t image, std::uint32_t label) const {
        return answer_[std::size_t{image} * labels + label];
    }
    bool reversed(std::uint32_t image) const { return reversed_[image]; }

private:
    WorldSetting setting_;
    std::vector<std::uint8_t> predicted_;
    std::vector<bool> reversed_, shows_second_, answer_;
};

inline std::vector<std::uint32_t> shuffled(std::uint32_t images, RandomStream random) {
    std::vector<std::uint32_t> order(images);
    for (std::uint32_t g = 0; g < images; ++g) order[g] = g;
    for (std::uint32_t g = images; g > 1; --g) std::swap(order[g - 1], order[random.below(g)]);
    return order;
}

inline SharedWorld shared_world(const WorldSetting& setting, std::uint64_t seed) {
    const WorldImages images(setting, seed);
    SharedWorld world;
    world.m = setting.m;
    world.truth.assign(setting.m, 0.0);
    const std::vector<std::uint32_t> common =
        shuffled(setting.images, RandomStream(seed, "common order of tests"));
    for (std::uint32_t i = 0; i < setting.m; ++i) {
        for (std::uint32_t j = i + 1; j < setting.m; ++j) {
            const auto pair = static_cast<std::uint32_t>(world.pairs.size());
            world.pairs.push_back({i, j});
            double first = .5, second = .5;
            for (std::uint32_t g = 0; g < setting.images; ++g) {
                const std::uint8_t a = images.label(g, i), b = images.label(g, j);
                if (a == b) continue;
                first += images.correct(g, a);
                second += images.correct(g, b);
            }
            world.truth[i] += std::log(first / second) / setting.m;
            world.truth[j] -= std::log(first / second) / setting.m;
            const auto take = [&](std::span<const std::uint32_t> order, std::uint32_t most,
                                  auto&& fits) {
                for (const std::uint32_t g : order) {
                    if (most == 0) return;
                    const std::uint8_t a = images.label(g, i), b = images.label(g, j);
                    if (a == b || !fits(g)) continue;
                    world.places.push_back(
                        {pair, g, images.answered(g, a), images.answered(g, b), a, b});
                    --most;
                }
            };
            const auto any = [](std::uint32_t) { return true; };
            const std::vector<std::uint32_t> own =
                shuffled(setting.images, RandomStream(seed, "own order of tests", pair));
            switch (setting.sharing) {
                case Sharing::own:
                    take(own, setting.k, any);
                    break;
                case Sharing::pool:
                    take(own, setting.k, [&](std::uint32_t g) { return g < 8 * setting.k; });
                    break;
                case Sharing::total:
                    take(common, setting.k, any);
                    break;
                case Sharing::domains:
                    take(common, setting.k / 2,
                         [&](std::uint32_t g) { return images.reversed(g); });
                    take(own, setting.k - setting.k / 2,
                         [&](std::uint32_t g) { return !images.reversed(g); });
                    break;
            }
        }
    }
    return world;
}

/// The settings of the coverage table. All combinations are used.
inline std::vector<WorldSetting> settings_of_table(std::span<const std::uint32_t> classifiers,
                                                   std::span<const std::uint32_t> lengths) {
    std::vector<WorldSetting> out;
    for (const std::uint32_t m : classifiers) {
        for (const std::uint32_t k : lengths) {
            for (const Sharing sharing : {Sharing::own, Sharing::pool, Sharing::total}) {
                for (const double spread : {.1, .35, 1.0}) {
                    for (const bool families : {false, true}) {
                        for (const double wrong : {0.0, .08})
                            out.push_back({.m = m,
                                           .k = k,
                                           .spread = spread,
                                           .sharing = sharing,
                                           .families = families,
                                           .wrong = wrong});
                    }
                }
            }
        }
    }
    return out;
}

}  // namespace assay::mad::shared_test
