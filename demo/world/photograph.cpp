#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "demo/world/recipe.h"

namespace assay::world {
namespace {

// size of the largest objects, as a proportion of the image's side
constexpr float first_reach = 0.43F;

/// The colors of objects in the foreground, by place.
Colour cover_colour(Place place, Draw& draw) {
    switch (place) {
        case Place::forest:
        case Place::meadow:
            return mix(rgb(0x4E7A35), rgb(0x6B4A2C), draw.unit());
        case Place::street:
            return mix(rgb(0x5A6066), rgb(0x8B8E92), draw.unit());
        case Place::water:
        case Place::beach:
            return mix(rgb(0x8A6A45), rgb(0xC9B08A), draw.unit());
        case Place::sky:
        case Place::dusk:
            return mix(rgb(0x3C3A46), rgb(0x6E6A72), draw.unit());
        case Place::room:
        case Place::workshop:
            break;
    }
    return mix(rgb(0x6A4428), rgb(0xA9825A), draw.unit());
}

/// The reasons why an image is hard, each from 0 to 1.
struct Trouble {
    float small, turned, covered, dim, noisy, blurred, odd, cut;

    Trouble(float difficulty, Draw& draw) {
        const auto part = [&] { return clamp01(difficulty * draw.between(0.1F, 1.5F)); };
        small = part();
        turned = part();
        covered = draw.chance(0.12 + 0.55 * difficulty) ? part() : 0;
        dim = part();
        noisy = part();
        blurred = part();
        odd = part();
        cut = draw.chance(0.3 * difficulty) ? part() : 0;
    }
    float sum() const {
        return 0.22F * small + 0.06F * turned + 0.30F * covered + 0.08F * dim + 0.09F * noisy +
               0.11F * blurred + 0.06F * odd + 0.20F * cut;
    }
};

void add_company(Recipe& recipe, float side, Draw& draw) {
    const Thing& main = recipe.scene.things.front();
    int other = other_class(main.cls, draw);
    for (int tries = 0;
         std::find(recipe.labels.begin(), recipe.labels.end(), other) != recipe.labels.end() &&
         tries < 8;
         ++tries) {
        other = other_class(main.cls, draw);
    }
    Thing thing = usual_thing(other, side, draw);
    thing.pose.reach = side * draw.between(0.15F, 0.21F);
    const Vec2 centre{0.5F * side, 0.5F * side};
    // The cover hides the edge of the main object, and no other object.
    const auto free = [&](Vec2 at) {
        return std::all_of(
            recipe.scene.things.begin() + 1, recipe.scene.things.end(), [&](const Thing& there) {
                return length(at - there.pose.centre) >= there.pose.reach + 0.5F * thing.pose.reach;
            });
    };
    bool placed = false;
    for (int tries = 0; tries < 40 && !placed; ++tries) {
        const float turn = draw.unit();
        Vec2 at = centre + (0.36F * side) * Vec2{cos_turns(turn), sin_turns(turn)};
        at.x = std::clamp(at.x, thing.pose.reach, side - thing.pose.reach);
        at.y = std::clamp(at.y, thing.pose.reach, side - thing.pose.reach);
        thing.pose.centre = at;
        placed = free(at);
    }
    if (!placed) return;
    recipe.labels.push_back(other);
    recipe.scene.things.push_back(thing);
}

void add_cover(Recipe& recipe, float covered, Draw& draw) {
    const std::vector<Thing>& things = recipe.scene.things;
    const Pose& pose = things.front().pose;
    const float width = pose.reach * mix(0.12F, 0.62F, covered),
                far = 3 * static_cast<float>(recipe.scene.width);
    for (int tries = 0; tries < 20; ++tries) {
        const float turn = draw.chance(0.6) ? 0.25F + 0.05F * draw.bell() : 0.5F * draw.unit();
        const Vec2 along{cos_turns(turn), sin_turns(turn)}, across{-along.y, along.x};
        const Vec2 middle = pose.centre + (0.55F * pose.reach * draw.between(-1, 1)) * across;
        // An object with a label must be visible, so two thirds of each other object remain
        // uncovered.
        const bool hides = std::any_of(things.begin() + 1, things.end(), [&](const Thing& other) {
            const Vec2 to = other.pose.centre - middle;
            return std::fabs(to.x * across.x + to.y * across.y) <
                   0.5F * width + 0.3F * other.pose.reach;
        });
        if (hides) continue;
        const Colour colour = cover_colour(recipe.scene.place, draw);
        recipe.scene.covers.push_back({.from = middle - far * along,
                                       .to = middle + far * along,
                                       .width = width,
                                       .colour = colour});
        return;
    }
}

}  // namespace

std::string class_path(int cls, std::uint64_t number) {
    const std::string_view id = row_of(cls).id;
    return fmt::format("{}/{}_{:05}.png", id, id, number);
}

int other_class(int cls, Draw& draw) {
    const int other = draw.below(class_count - 1);
    return other < cls ? other : other + 1;
}

Palette some_palette(int cls, Draw& draw) {
    const ClassRow& row = row_of(cls);
    Palette p = row.palettes[draw.chance(0.5) ? 0 : 1];
    const float turn = 0.03F * draw.bell(), saturation = 1 + 0.15F * draw.bell(),
                value = 1 + 0.07F * draw.bell();
    for (Colour* c : {&p.base, &p.second, &p.third}) *c = turned(*c, turn, saturation, value);
    return p;
}

Light some_light(float unrest, Draw& draw) {
    Light light;
    light.gain = 1 + unrest * draw.between(-0.42F, 0.25F);
    light.contrast = 1 - 0.5F * unrest * draw.unit();
    const float warm = unrest * 0.12F * draw.bell();
    light.tint = {1 + warm, 1, 1 - warm};
    light.slope = {0.6F * unrest * draw.bell(), 0.4F * unrest * draw.bell()};
    light.vignette = 0.5F * unrest * draw.unit();
    light.from = {draw.chance(0.5) ? -0.55F : 0.55F, -0.8F};
    return light;
}

Thing usual_thing(int cls, float side, Draw& draw) {
    const ClassRow& row = row_of(cls);
    Thing thing;
    thing.cls = cls;
    thing.texture = row.texture;
    thing.palette = some_palette(cls, draw);
    thing.pose.centre = {0.5F * side, 0.5F * side};
    thing.pose.reach = first_reach * side * row.size;
    thing.pose.turn = row.turn * 0.5F * draw.bell();
    thing.pose.flip = draw.chance(0.5);
    thing.pose.squash = 1 + 0.06F * draw.bell();
    thing.pose.wobble = 0.05F;
    thing.texture_scale = 1 + 0.14F * draw.bell();
    thing.texture_turn = 0.02F * draw.bell();
    thing.seed = draw.bits();
    return thing;
}

Recipe photograph(const Plan& plan, std::string_view purpose, std::uint64_t number, int cls,
                  const PhotoManner& manner) {
    Draw draw(plan.spec.seed, purpose, number);
    const auto side = static_cast<float>(plan.spec.side);
    Recipe recipe;
    recipe.cls = cls;
    recipe.difficulty = std::pow(draw.stream().uniform(), manner.hardness);
    const auto difficulty = static_cast<float>(recipe.difficulty);
    const bool wrong = draw.chance(manner.wrong);
    const int shown = wrong ? other_class(cls, draw) : cls;
    const ClassRow& row = row_of(shown);
    const Trouble trouble(difficulty, draw);

    Scene& scene = recipe.scene;
    scene.width = scene.height = plan.spec.side;
    const int place = static_cast<int>(row.place);
    scene.place = row.place;
    if (!draw.chance(manner.home)) {
        const int other = draw.below(place_count - 1);
        scene.place = static_cast<Place>(other < place ? other : other + 1);
    }
    scene.place_seed = draw.bits();

    Thing thing = usual_thing(shown, side, draw);
    Pose& pose = thing.pose;
    pose.reach *= mix(0.98F, 0.5F, trouble.small) * draw.between(0.92F, 1.04F);
    pose.turn += row.turn * 1.1F * trouble.turned * draw.bell();
    pose.squash *= 1 + 0.14F * trouble.turned * draw.bell();
    pose.shear = 0.05F * draw.bell();
    pose.shear += 0.14F * trouble.turned * draw.bell();
    pose.bend = 0.04F * draw.bell();
    pose.bend += 0.1F * trouble.turned * draw.bell();
    pose.wobble = 0.04F + 0.1F * trouble.turned;
    const float room = std::max(0.04F * side, 0.5F * side - 0.9F * pose.reach);
    pose.centre = pose.centre + room * Vec2{draw.between(-0.8F, 0.8F), draw.between(-0.8F, 0.8F)};
    if (trouble.cut > 0) {  // partly out of the image
        const float turn = draw.unit();
        const Vec2 out{cos_turns(turn), sin_turns(turn)};
        pose.centre = Vec2{0.5F * side, 0.5F * side} +
                      (0.5F * side - pose.reach * mix(0.85F, 0.4F, trouble.cut)) * out;
    }
    thing.strength = mix(1.0F, 0.4F, trouble.odd);
    thing.texture_scale *= 1 + 0.2F * trouble.odd * draw.bell();
    thing.texture_turn += 0.08F * trouble.odd * draw.bell();
    const bool odd_colour = draw.chance(0.08 + 0.28 * trouble.odd);
    if (odd_colour) thing.palette = some_palette(other_class(shown, draw), draw);
    const bool odd_surface = draw.chance(0.05 + 0.12 * trouble.odd);
    if (odd_surface) {
        thing.texture = row_of(other_class(shown, draw)).texture;
    }
    scene.things.push_back(thing);
    recipe.labels.push_back(shown);
    if (draw.chance(manner.company)) {
        add_company(recipe, side, draw);
        if (draw.chance(0.35)) add_company(recipe, side, draw);
    }
    for (const Thing& there : scene.things) {
        if (recipe.place_class < 0 && row_of(there.cls).place == scene.place)
            recipe.place_class = there.cls;
    }
    if (trouble.covered > 0) add_cover(recipe, trouble.covered, draw);
    if (trouble.covered > 0.7F) add_cover(recipe, 0.3F * trouble.covered, draw);

    scene.light = some_light(0.25F + 0.75F * trouble.dim, draw);
    scene.blur = 0.15F + 2.6F * trouble.blurred * trouble.blurred;
    scene.noise = 0.01F + 0.05F * trouble.noisy * trouble.noisy;
    scene.seed = draw.bits();

    // People recognize most images. 97 % say yes to an easy image, and slightly more than a third
    // to the hardest image.
    const double liking = 2.3 - 4.2 * static_cast<double>(trouble.sum()) -
                          (odd_surface ? 0.35 : 0.0) - (odd_colour ? 0.1 : 0.0) +
                          0.6 * draw.stream().normal();
    recipe.rate = normal_cdf(wrong ? -1.9 + 0.3 * draw.stream().normal() : liking);
    if (wrong &&
        std::find(recipe.labels.begin() + 1, recipe.labels.end(), cls) != recipe.labels.end()) {
        recipe.rate = normal_cdf(0.3);  // the class is shown by chance, as a small object
    }
    std::sort(recipe.labels.begin(), recipe.labels.end());
    return recipe;
}

}  // namespace assay::world
