#include "demo/world/variants.h"

#include <fmt/format.h>

#include "demo/world/sets.h"

namespace assay::world {
namespace {

/// A well-lit image of one object of class number % 20, slightly rotated and shifted.
Recipe plain_view(const Plan& plan, Draw& draw, std::size_t number) {
    const auto side = static_cast<float>(plan.spec.side);
    Recipe recipe;
    recipe.cls = static_cast<int>(number % class_count);
    recipe.labels = {recipe.cls};
    recipe.path = class_path(recipe.cls, number / class_count);
    recipe.rate = 1;
    recipe.scene.width = recipe.scene.height = plan.spec.side;
    Thing thing = usual_thing(recipe.cls, side, draw);
    thing.pose.reach *= draw.between(0.78F, 1.0F);
    thing.pose.turn += 0.4F * row_of(recipe.cls).turn * draw.bell();
    thing.pose.shear = 0.05F * draw.bell();
    thing.pose.bend = 0.05F * draw.bell();
    const float room = std::max(0.03F * side, 0.5F * side - 1.02F * thing.pose.reach);
    thing.pose.centre = thing.pose.centre + room * Vec2{draw.between(-1, 1), draw.between(-1, 1)};
    recipe.scene.things.push_back(thing);
    recipe.scene.place = row_of(recipe.cls).place;
    recipe.place_class = recipe.cls;
    recipe.scene.light = some_light(0.3F, draw);
    recipe.scene.blur = 0.15F;
    recipe.scene.noise = 0.01F;
    recipe.scene.seed = draw.bits();
    return recipe;
}

Recipe drawn(const Plan& plan, std::string_view purpose, std::size_t number, Style style) {
    Draw draw(plan.spec.seed, purpose, number);
    Recipe recipe = plain_view(plan, draw, number);
    recipe.scene.style = style;
    recipe.scene.plain = true;
    recipe.place_class = -1;
    recipe.scene.place_seed = draw.bits();
    recipe.scene.light = Light{};
    recipe.scene.blur = 0;
    recipe.scene.noise = style == Style::sketch ? 0.012F : 0;
    return recipe;
}

/// A foreground of the background sets. The same numbers give the same thing, light and grain in
/// all three.
Recipe foreground(const Plan& plan, std::size_t number) {
    Draw draw(plan.spec.seed, "world/foreground", number);
    Recipe recipe = plain_view(plan, draw, number);
    recipe.scene.things[0].pose.reach *= 0.72F;  // so that the background is visible
    recipe.scene.light = some_light(0.6F, draw);
    recipe.scene.blur = 0.2F + 0.7F * draw.unit();
    recipe.scene.noise = 0.012F + 0.02F * draw.unit();
    return recipe;
}

/// The background of original image `number`.
void set_place(const Plan& plan, std::size_t number, Recipe& recipe) {
    const int cls = static_cast<int>(number % class_count);
    recipe.place_class = cls;
    recipe.scene.place = row_of(cls).place;
    recipe.scene.place_seed = Draw(plan.spec.seed, "world/place", number).bits();
}

}  // namespace

Recipe sketch_image(const Plan& plan, std::size_t number) {
    return drawn(plan, "world/sketch", number, Style::sketch);
}
Recipe edges_image(const Plan& plan, std::size_t number) {
    return drawn(plan, "world/edges", number, Style::edges);
}
Recipe silhouette_image(const Plan& plan, std::size_t number) {
    return drawn(plan, "world/silhouette", number, Style::silhouette);
}

Recipe retextured_image(const Plan& plan, std::size_t number) {
    Draw draw(plan.spec.seed, "world/retextured", number);
    Recipe recipe = plain_view(plan, draw, number);
    Thing& thing = recipe.scene.things[0];
    const int surface = other_class(recipe.cls, draw);
    int colours = surface;
    while (colours == surface) colours = other_class(recipe.cls, draw);
    thing.texture = row_of(surface).texture;
    thing.palette = some_palette(colours, draw);
    recipe.scene.place_seed = draw.bits();
    return recipe;
}

Recipe rendition_image(const Plan& plan, std::size_t number) {
    Draw draw(plan.spec.seed, "world/rendition", number);
    Recipe recipe = plain_view(plan, draw, number);
    constexpr std::array<Style, 4> styles = {Style::poster, Style::blocks, Style::mosaic,
                                             Style::neon};
    // Every class has every style equally often.
    recipe.scene.style = styles[(number / class_count + number) % styles.size()];
    if (draw.chance(0.5))
        recipe.scene.things[0].palette = some_palette(draw.below(class_count), draw);
    recipe.scene.plain = recipe.scene.style == Style::neon || recipe.scene.style == Style::poster;
    if (recipe.scene.plain) recipe.place_class = -1;
    recipe.scene.place_seed = draw.bits();
    recipe.scene.light = Light{};
    recipe.scene.blur = 0;
    recipe.scene.noise = 0.008F;
    return recipe;
}

Recipe cue_conflict_image(const Plan& plan, std::size_t number) {
    constexpr std::size_t others = class_count - 1, pairs = class_count * others;
    const std::size_t round = number / pairs, pair = number % pairs;
    const int shape = static_cast<int>(pair / others), k = static_cast<int>(pair % others);
    const int surface = k < shape ? k : k + 1;
    // In each round, each shape has four poses and each surface three patches, which are used
    // repeatedly.
    const std::size_t pose = static_cast<std::size_t>(k % 4) + 4 * round,
                      patch = static_cast<std::size_t>(shape % 3);
    const std::size_t content = static_cast<std::size_t>(shape) + class_count * pose;
    Draw draw(plan.spec.seed, "world/cue-shape", content);
    Recipe recipe = plain_view(plan, draw, content);
    Draw surface_draw(plan.spec.seed, "world/cue-surface",
                      static_cast<std::size_t>(surface) + class_count * patch);
    Thing& thing = recipe.scene.things[0];
    thing.texture = row_of(surface).texture;
    thing.palette = some_palette(surface, surface_draw);
    thing.texture_scale = 1.1F;
    recipe.scene.plain = true;
    recipe.place_class = -1;
    recipe.scene.place_seed = draw.bits();
    recipe.path = fmt::format("{}/{}{}-{}{}.png", row_of(shape).id, row_of(shape).id, pose + 1,
                              row_of(surface).id, patch + 1);
    return recipe;
}

Recipe original_image(const Plan& plan, std::size_t number) {
    Recipe recipe = foreground(plan, number);
    set_place(plan, number, recipe);
    return recipe;
}

Recipe mixed_same_image(const Plan& plan, std::size_t number) {
    Recipe recipe = foreground(plan, number);
    const std::size_t count = count_of(set_row("original"), plan.spec.size);
    set_place(plan, (number + class_count) % count, recipe);
    return recipe;
}

Recipe mixed_rand_image(const Plan& plan, std::size_t number) {
    Recipe recipe = foreground(plan, number);
    Draw draw(plan.spec.seed, "world/mixed-rand", number);
    const std::size_t count = count_of(set_row("original"), plan.spec.size);
    std::size_t from = number;
    while (row_of(static_cast<int>(from % class_count)).place == row_of(recipe.cls).place) {
        from = static_cast<std::size_t>(draw.below(static_cast<int>(count)));
    }
    set_place(plan, from, recipe);
    return recipe;
}

}  // namespace assay::world
