// The painter's description of an image agrees with its pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "assay/image/encode.h"
#include "demo/world/places.h"
#include "demo/world/sets.h"
#include "demo/world/textures.h"
#include "demo/world/variants.h"

namespace assay::world {
namespace {

Plan image_plan(int side = 64, int multi_side = 96) {
    Plan plan{.spec = {.folder = {},
                       .seed = 5,
                       .size = WorldSize::tiny,
                       .side = side,
                       .multi_side = multi_side},
              .replicated = {}};
    return plan;
}

/// The pixels with a red byte below half.
PixelBox dark_box(const Image& image) {
    PixelBox box{image.width, image.height, 0, 0};
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            if (image.pixels[4 * static_cast<std::size_t>(y * image.width + x)] > 127) continue;
            box = {std::min(box.x0, x), std::min(box.y0, y), std::max(box.x1, x + 1),
                   std::max(box.y1, y + 1)};
        }
    }
    return box;
}

void expect_near(PixelBox a, PixelBox b, int by) {
    EXPECT_LE(std::abs(a.x0 - b.x0), by);
    EXPECT_LE(std::abs(a.y0 - b.y0), by);
    EXPECT_LE(std::abs(a.x1 - b.x1), by);
    EXPECT_LE(std::abs(a.y1 - b.y1), by);
}

double mean_difference(const Image& a, const Image& b) {
    EXPECT_EQ(a.pixels.size(), b.pixels.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i)
        sum += std::abs(int{a.pixels[i]} - int{b.pixels[i]});
    return sum / (0.75 * static_cast<double>(a.pixels.size()));  // the fourth byte is always 255
}

TEST(Painter, TheSameSceneTwiceGivesTheSameBytesWhateverWasPaintedBefore) {
    const Plan plan = image_plan();
    Painter used, fresh;
    Image a, b;
    used.paint(multi_image(plan, 3).scene, a);
    used.paint(v1_image(plan, 11).scene, a);
    fresh.paint(v1_image(plan, 11).scene, b);
    EXPECT_EQ(a.pixels, b.pixels);
}

TEST(Painter, WrittenImagesComeBackToTheByte) {
    const Plan plan = image_plan();
    Painter painter;
    Image image;
    for (const SetRow& row : set_rows()) {
        if (row.name == "v2") continue;  // drawn as in v1, so it needs the replication
        painter.paint(row.recipe(plan, 7).scene, image);
        const Image back = decode_image(encode_png(image));
        EXPECT_EQ(back.width, image.width) << row.name;
        EXPECT_EQ(back.pixels, image.pixels) << row.name;
    }
}

TEST(Painter, BoxesAreThoseOfTheSilhouettes) {
    const Plan plan = image_plan(96);
    Painter painter;
    Image image;
    for (std::size_t i = 0; i < 40; ++i) {
        Recipe recipe = silhouette_image(plan, i);
        painter.paint(recipe.scene, image);
        ASSERT_EQ(painter.seen().size(), 1U);
        expect_near(painter.seen()[0].box, dark_box(image), 0);
        EXPECT_GT(painter.seen()[0].area, 300);
    }
}

TEST(Painter, BoxesOfSeveralThingsAreWhatEachCoversAlone) {
    const Plan plan = image_plan(64, 120);
    Painter painter, alone;
    Image image;
    for (std::size_t i = 0; i < 25; ++i) {
        const Recipe recipe = multi_image(plan, i);
        painter.paint(recipe.scene, image);
        std::set<int> named;
        for (std::size_t t = 0; t < recipe.scene.things.size(); ++t) {
            Scene one = recipe.scene;
            one.things = {recipe.scene.things[t]};
            one.style = Style::silhouette;
            alone.paint(one, image);
            const Seen& seen = painter.seen()[t];
            expect_near(seen.box, dark_box(image), 0);
            EXPECT_FALSE(seen.box.empty());
            EXPECT_LT(seen.hidden, 0.85F * seen.area) << i;
            named.insert(recipe.scene.things[t].cls);
        }
        EXPECT_EQ(std::vector<int>(named.begin(), named.end()), recipe.labels);
    }
}

TEST(Painter, HiddenPartsAreMeasured) {
    Scene scene;
    scene.width = scene.height = 64;
    Thing house;
    house.cls = 13;
    house.texture = Texture::bricks;
    house.pose = {.centre = {32, 32}, .reach = 26};
    scene.things = {house};
    Painter painter;
    Image image;
    painter.paint(scene, image);
    EXPECT_EQ(painter.seen()[0].hidden, 0);
    const float area = painter.seen()[0].area;
    scene.covers = {{.from = {32, -40}, .to = {32, 100}, .width = 16, .colour = {}}};
    painter.paint(scene, image);
    EXPECT_FLOAT_EQ(painter.seen()[0].area, area);
    // The bar covers columns 24 to 40. The house is 0.92 x 52 pixels high in the middle, and 0.78 x
    // 52 eight pixels to the side, because the roof slopes. So it has 16 x 0.85 x 52 = 707 pixels
    // behind the bar.
    EXPECT_NEAR(painter.seen()[0].hidden, 707, 12);
    // this is the right house behind the same bar, and in front of the first house
    scene.things.push_back(house);
    painter.paint(scene, image);
    EXPECT_NEAR(painter.seen()[0].hidden, area, 0.02F * area);
}

TEST(Painter, NearDuplicatesAreNearAndOthersAreNot) {
    const Plan plan = image_plan();
    Painter painter;
    Image first, second;
    int copies = 0;
    double worst_copy = 0, nearest_other = 255;
    for (std::size_t i = 0; i < 200; ++i) {
        const Recipe recipe = unlabelled_image(plan, i);
        if (recipe.duplicate_of.empty()) continue;
        ++copies;
        Recipe source;
        for (std::size_t k = 0; k < 200; ++k) {
            const Recipe candidate = recipe.duplicate_of.starts_with("v1/")
                                         ? v1_image(plan, k % 100)
                                         : unlabelled_image(plan, k);
            if (recipe.duplicate_of.ends_with("/" + candidate.path)) source = candidate;
        }
        ASSERT_FALSE(source.path.empty()) << recipe.duplicate_of;
        EXPECT_TRUE(source.duplicate_of.empty());  // the first one is not a copy
        EXPECT_EQ(source.labels, recipe.labels);
        painter.paint(recipe.scene, first);
        painter.paint(source.scene, second);
        worst_copy = std::max(worst_copy, mean_difference(first, second));
        painter.paint(unlabelled_image(plan, (i + 1) % 200).scene, second);
        nearest_other = std::min(nearest_other, mean_difference(first, second));
    }
    EXPECT_GE(copies, 6);  // the mean is 8 % of 200
    EXPECT_LT(worst_copy, 10);
    EXPECT_GT(nearest_other, worst_copy);
}

TEST(Textures, AllDifferFromEachOther) {
    const Palette palette{rgb(0x3060C0), rgb(0xE0C030), rgb(0xF0F0F0)};
    const auto mean = [&](Texture texture, auto&& f) {
        double sum = 0;
        for (int k = 0; k < 4096; ++k) {
            const SurfacePoint at{static_cast<float>(k % 64) / 12, static_cast<float>(k / 64) / 12,
                                  0.05F, 9};
            sum += f(surface_colour(texture, at, palette), at);
        }
        return sum / 4096;
    };
    for (int a = 0; a < texture_count; ++a) {
        const auto ta = static_cast<Texture>(a);
        // The image is not one flat color:
        const double average = mean(
            ta, [](Colour c, const SurfacePoint&) { return static_cast<double>(luminance(c)); });
        const double spread = mean(ta, [&](Colour c, const SurfacePoint&) {
            const double d = static_cast<double>(luminance(c)) - average;
            return d * d;
        });
        EXPECT_GT(spread, 1e-3) << a;
        for (int b = 0; b < a; ++b) {
            const double apart = mean(ta, [&](Colour c, const SurfacePoint& at) {
                const Colour other = surface_colour(static_cast<Texture>(b), at, palette);
                return static_cast<double>(std::fabs(c.r - other.r) + std::fabs(c.g - other.g) +
                                           std::fabs(c.b - other.b));
            });
            EXPECT_GT(apart, 0.1) << a << " and " << b;
        }
    }
}

TEST(Places, AreColouredWithinRangeAndChangeWithTheSeed) {
    Canvas first, second;
    first.reset(40, 40);
    second.reset(40, 40);
    for (int p = 0; p < place_count; ++p) {
        paint_place(static_cast<Place>(p), 1, first);
        paint_place(static_cast<Place>(p), 2, second);
        double apart = 0;
        for (std::size_t i = 0; i < first.pixels.size(); ++i) {
            const Colour c = first.pixels[i];
            ASSERT_TRUE(std::min({c.r, c.g, c.b}) >= -0.01F && std::max({c.r, c.g, c.b}) <= 1.01F)
                << p;
            apart += static_cast<double>(std::fabs(c.g - second.pixels[i].g));
        }
        EXPECT_GT(apart / 1600, 0.004) << name_of(static_cast<Place>(p));
    }
}

}  // namespace
}  // namespace assay::world
