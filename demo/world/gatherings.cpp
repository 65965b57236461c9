#include <fmt/format.h>

#include <algorithm>

#include "demo/world/sets.h"
#include "demo/world/variants.h"

namespace assay::world {
namespace {

/// A position with little overlap with other objects, the best of many random positions.
Vec2 free_spot(const Scene& scene, float reach, Draw& draw) {
    const auto w = static_cast<float>(scene.width), h = static_cast<float>(scene.height);
    Vec2 best{};
    float widest = -1e9F;
    for (int tries = 0; tries < 40; ++tries) {
        const Vec2 at{draw.between(reach, w - reach), draw.between(reach, h - reach)};
        float gap = 1e9F;
        for (const Thing& other : scene.things) {
            gap = std::min(gap, length(at - other.pose.centre) / (reach + other.pose.reach));
        }
        if (gap > 0.98F) return at;
        if (gap > widest) {
            widest = gap;
            best = at;
        }
    }
    return best;
}

/// The frequencies (in percent) of images with 1, 2, ..., 5 different classes.
constexpr std::array<int, 5> shares = {26, 27, 21, 15, 11};

int draw_count(Draw& draw) {
    int left = draw.below(100);
    for (std::size_t k = 0; k < shares.size(); ++k) {
        if (left < shares[k]) return static_cast<int>(k) + 1;
        left -= shares[k];
    }
    return 1;
}

/// An unlabelled photograph that is not a copy.
Recipe fresh(const Plan& plan, std::size_t number, Draw& draw) {
    const PhotoManner manner{.hardness = 1.2, .wrong = 0, .company = 0.2};
    Recipe recipe =
        photograph(plan, "world/unlabelled/photo", number, draw.below(class_count), manner);
    if (draw.chance(0.1)) {  // a background without any object
        recipe.scene.things.clear();
        recipe.labels.clear();
        recipe.cls = -1;
        recipe.rate = 0;
    }
    return recipe;
}

/// Another photograph of the same scene, slightly lighter or darker, softer and shifted.
void nearly(Recipe& recipe, Draw& draw) {
    Scene& scene = recipe.scene;
    scene.light.gain *= draw.between(0.95F, 1.05F);
    scene.light.tint.r *= draw.between(0.98F, 1.02F);
    scene.light.tint.b *= draw.between(0.98F, 1.02F);
    scene.blur += 0.3F * draw.unit();
    const Vec2 moved{draw.between(-0.008F, 0.008F), draw.between(-0.008F, 0.008F)};
    for (Thing& thing : scene.things) {
        thing.pose.centre = thing.pose.centre + static_cast<float>(scene.width) * moved;
    }
}

enum class Origin { fresh, copy, copy_of_v1 };
Origin origin_of(std::size_t number, Draw& draw) {
    const float u = draw.unit();
    if (u < 0.06F && number > 0) return Origin::copy;
    return u > 0.98F ? Origin::copy_of_v1 : Origin::fresh;
}

}  // namespace

Recipe multi_image(const Plan& plan, std::size_t number) {
    Draw draw(plan.spec.seed, "world/multi", number);
    Recipe recipe;
    recipe.path = fmt::format("multi_{:05}.png", number);
    Scene& scene = recipe.scene;
    scene.height = plan.spec.multi_side;
    constexpr std::array<int, 4> widths = {100, 125, 133, 80};  // percent of the height
    scene.width = plan.spec.multi_side * widths[static_cast<std::size_t>(draw.below(4))] / 100;
    const auto side = static_cast<float>(std::min(scene.width, scene.height));
    const int kinds = draw_count(draw);
    while (static_cast<int>(recipe.labels.size()) < kinds) {
        const int cls = draw.below(class_count);
        if (std::find(recipe.labels.begin(), recipe.labels.end(), cls) == recipe.labels.end())
            recipe.labels.push_back(cls);
    }
    recipe.cls = recipe.labels[0];
    std::vector<int> shown = recipe.labels;
    while (shown.size() < 5 && draw.chance(0.22)) {  // a repeated object
        shown.push_back(recipe.labels[static_cast<std::size_t>(draw.below(kinds))]);
    }
    constexpr std::array<float, 5> reaches = {0.38F, 0.27F, 0.235F, 0.205F, 0.19F};
    for (const int cls : shown) {
        Thing thing = usual_thing(cls, side, draw);
        thing.pose.reach =
            side * row_of(cls).size * reaches[shown.size() - 1] * draw.between(0.8F, 1.1F);
        thing.pose.turn += 0.4F * row_of(cls).turn * draw.bell();
        thing.pose.centre = free_spot(scene, thing.pose.reach, draw);
        scene.things.push_back(thing);
    }
    recipe.place_class = recipe.cls;
    scene.place = row_of(recipe.cls).place;
    scene.place_seed = draw.bits();
    scene.light = some_light(0.4F, draw);
    scene.blur = 0.3F;
    scene.noise = 0.014F;
    scene.seed = draw.bits();
    recipe.difficulty = static_cast<double>(shown.size() - 1) / 4;
    recipe.rate = 0.95;
    std::sort(recipe.labels.begin(), recipe.labels.end());
    return recipe;
}

Recipe unlabelled_image(const Plan& plan, std::size_t number) {
    Draw draw(plan.spec.seed, "world/unlabelled", number);
    Recipe recipe;
    switch (origin_of(number, draw)) {
        case Origin::fresh:
            recipe = fresh(plan, number, draw);
            break;
        case Origin::copy: {
            recipe = unlabelled_image(
                plan, static_cast<std::size_t>(draw.below(static_cast<int>(number))));
            if (recipe.duplicate_of.empty()) recipe.duplicate_of = "unlabelled/" + recipe.path;
            nearly(recipe, draw);
            break;
        }
        case Origin::copy_of_v1: {
            const auto count = static_cast<int>(count_of(set_row("v1"), plan.spec.size));
            recipe = v1_image(plan, static_cast<std::size_t>(draw.below(count)));
            recipe.duplicate_of = "v1/" + recipe.path;
            nearly(recipe, draw);
            break;
        }
    }
    recipe.path = fmt::format("image_{:06}.png", number);
    return recipe;
}

}  // namespace assay::world
