#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/error.h"
#include "demo/world/sets.h"
#include "demo/world/variants.h"

namespace assay::world {
namespace {

Plan recipe_plan(WorldSize size = WorldSize::small) {
    return {.spec = {.folder = {}, .seed = 3, .size = size}, .replicated = {}};
}

TEST(Classes, AreSortedAndHaveATextureEach) {
    std::set<Texture> textures;
    for (std::size_t c = 0; c < classes().size(); ++c) {
        EXPECT_TRUE(c == 0 || classes()[c - 1].id < classes()[c].id);
        textures.insert(classes()[c].texture);
        // Names by Geirhos et al. end in digits, and '-' separates their parts.
        EXPECT_EQ(classes()[c].id.find_first_not_of("abcdefghijklmnopqrstuvwxyz"),
                  std::string_view::npos);
    }
    EXPECT_EQ(textures.size(), static_cast<std::size_t>(class_count));
    EXPECT_EQ(world_classes().size(), 20U);
}

TEST(Hierarchy, HasEveryClassOnceAndAtLeastThreeLevelsAboveIt) {
    std::multiset<std::string> leaves;
    std::size_t shallowest = 99;
    const auto walk = [&](const auto& self, const nlohmann::json& node, std::size_t depth) -> void {
        if (node.contains("class")) {
            leaves.insert(node["class"]);
            shallowest = std::min(shallowest, depth);
            return;
        }
        ASSERT_FALSE(node["children"].empty()) << node["name"];
        for (const auto& child : node["children"]) self(self, child, depth + 1);
    };
    walk(walk, world_hierarchy(), 0);
    EXPECT_EQ(leaves.size(), 20U);
    EXPECT_EQ(std::set<std::string>(leaves.begin(), leaves.end()).size(), 20U);
    EXPECT_GE(shallowest, 3U);
}

TEST(Recipes, HaveTheirOwnPathsAndDependOnTheirNumberAlone) {
    Plan plan = recipe_plan(WorldSize::tiny);
    replicate(plan);
    Plan other = plan;
    other.spec.seed = 4;
    for (const SetRow& row : set_rows()) {
        std::set<std::string> paths;
        const std::size_t count = count_of(row, plan.spec.size);
        for (std::size_t i = 0; i < count; ++i) {
            const Recipe recipe = row.recipe(plan, i), again = row.recipe(plan, i);
            EXPECT_NE(recipe.scene.seed, row.recipe(other, i).scene.seed);
            EXPECT_TRUE(paths.insert(recipe.path).second) << row.name << ' ' << recipe.path;
            EXPECT_EQ(recipe.scene.seed, again.scene.seed);
            EXPECT_EQ(recipe.path, again.path);
            EXPECT_TRUE(recipe.rate >= 0 && recipe.rate <= 1);
            EXPECT_TRUE(std::is_sorted(recipe.labels.begin(), recipe.labels.end()));
            EXPECT_EQ(std::set<int>(recipe.labels.begin(), recipe.labels.end()).size(),
                      recipe.labels.size())
                << recipe.path;
            if (row.class_folders) {
                EXPECT_EQ(std::filesystem::path(recipe.path).parent_path(), row_of(recipe.cls).id);
            }
        }
    }
    EXPECT_THROW(set_row("cue-conflct"), Error);
    EXPECT_EQ(world_set_size("unlabelled", WorldSize::full), 100000U);
}

// For 4800 images at 70 %, the standard deviation is sqrt(0.7 x 0.3 / 4800) = 0.0066.
TEST(Recipes, BackgroundsGoWithTheClassInSevenOfTen) {
    const Plan plan = recipe_plan();
    int usual = 0, shown = 0;
    const SetRow& train = set_row("train");
    for (std::size_t i = 0; i < 4800; ++i) {
        const Recipe recipe = train.recipe(plan, i);
        const int cls = recipe.scene.things[0].cls;
        usual += recipe.scene.place == row_of(cls).place ? 1 : 0;
        shown += cls == recipe.cls ? 1 : 0;
    }
    EXPECT_NEAR(usual / 4800.0, 0.7, 4.5 * 0.0066);
    // 1.5 % of the images are mislabelled, with a standard deviation of 0.0018.
    EXPECT_NEAR(shown / 4800.0, 0.985, 4.5 * 0.0018);
}

TEST(CueConflict, ShowsAllPairsOfDifferentClassesAndSaysSoInTheName) {
    const Plan plan = recipe_plan();
    std::set<std::pair<std::string, std::string>> pairs;
    for (std::size_t i = 0; i < 380; ++i) {
        const Recipe recipe = cue_conflict_image(plan, i);
        const std::string stem = std::filesystem::path(recipe.path).stem().string();
        // Names are read as for the shape bias: '-' separates both cues, and digits at the end are
        // numbers.
        const auto cut = stem.rfind('-');
        const auto word = [](std::string text) {
            return text.substr(0, text.find_last_not_of("0123456789") + 1);
        };
        const std::string shape = word(stem.substr(0, cut)), texture = word(stem.substr(cut + 1));
        EXPECT_NE(shape, texture);
        EXPECT_EQ(std::filesystem::path(recipe.path).parent_path(), shape);
        const Thing& thing = recipe.scene.things[0];
        EXPECT_EQ(row_of(thing.cls).id, shape);
        EXPECT_EQ(row_of(static_cast<int>(*world_classes().find(texture))).texture, thing.texture);
        EXPECT_TRUE(recipe.scene.plain);
        pairs.insert({shape, texture});
    }
    EXPECT_EQ(pairs.size(), 380U);
}

TEST(Backgrounds, ThePairedSetsDifferInNothingElse) {
    const Plan plan = recipe_plan();
    for (std::size_t i = 0; i < 600; ++i) {
        const Recipe own = original_image(plan, i), same = mixed_same_image(plan, i),
                     other = mixed_rand_image(plan, i);
        EXPECT_EQ(own.path, same.path);
        EXPECT_EQ(own.path, other.path);
        for (const Recipe* recipe : {&same, &other}) {
            const Thing &a = own.scene.things[0], &b = recipe->scene.things[0];
            EXPECT_EQ(a.seed, b.seed);
            EXPECT_EQ(a.pose.reach, b.pose.reach);
            EXPECT_EQ(own.scene.seed, recipe->scene.seed);
            EXPECT_EQ(own.scene.light.gain, recipe->scene.light.gain);
            EXPECT_NE(own.scene.place_seed, recipe->scene.place_seed);
        }
        EXPECT_EQ(own.scene.place, row_of(own.cls).place);
        EXPECT_EQ(same.scene.place, own.scene.place);
        EXPECT_EQ(same.place_class, own.cls);
        EXPECT_NE(other.place_class, own.cls);
        EXPECT_NE(other.scene.place, own.scene.place);
    }
}

TEST(Retextured, NeverShowsTheOwnTexture) {
    const Plan plan = recipe_plan();
    for (std::size_t i = 0; i < 400; ++i) {
        const Recipe recipe = retextured_image(plan, i);
        EXPECT_NE(recipe.scene.things[0].texture, row_of(recipe.cls).texture);
    }
}

TEST(Photographs, HideNoCompanionThatTheirLabelsName) {
    const Plan plan = recipe_plan();
    Painter painter;
    Image image;
    std::size_t companions = 0;
    for (std::size_t i = 0; i < 1600; ++i) {
        const Recipe recipe = v1_image(plan, i);
        if (recipe.scene.things.size() < 2) continue;
        painter.paint(recipe.scene, image);
        for (std::size_t k = 1; k < recipe.scene.things.size(); ++k) {
            const Seen& seen = painter.seen()[k];
            ++companions;
            EXPECT_LT(seen.hidden, 0.7 * seen.area) << recipe.path << " thing " << k;
        }
    }
    EXPECT_GT(companions, 200U);
}

// v2 is selected by the judgements of few people. By these judgements it is similar to v1, but its
// true values are lower.
TEST(Replication, MatchesWhatWasSeenAndMissesWhatIsTrue) {
    Plan plan = recipe_plan();
    const Replication done = replicate(plan);
    ASSERT_EQ(plan.replicated.size(), 1600U);
    EXPECT_EQ(std::set<std::uint32_t>(plan.replicated.begin(), plan.replicated.end()).size(),
              1600U);
    double v1_true = 0, v1_seen = 0, v2_true = 0, v2_seen = 0, pool_true = 0;
    std::size_t taken = 0;
    for (const Reading& r : done.v1) {
        v1_true += static_cast<double>(r.rate) / 1600;
        v1_seen += static_cast<double>(r.selected) / r.annotators / 1600;
    }
    for (const Reading& r : done.pool) {
        pool_true += static_cast<double>(r.rate) / static_cast<double>(done.pool.size());
        if (!r.taken) continue;
        ++taken;
        v2_true += static_cast<double>(r.rate) / 1600;
        v2_seen += static_cast<double>(r.selected) / r.annotators / 1600;
    }
    EXPECT_EQ(taken, 1600U);
    for (std::size_t i = 0; i < plan.replicated.size(); ++i) {
        EXPECT_TRUE(done.pool[plan.replicated[i]].taken);
        EXPECT_EQ(plan.replicated[i] % class_count, i % class_count);
    }
    // The estimate from v1 is unbiased, with a standard error below sqrt(0.25 / 16000) = 0.004.
    EXPECT_NEAR(v1_seen, v1_true, 0.016);
    EXPECT_NEAR(v2_seen, v1_seen, 0.03);
    EXPECT_LT(v2_true, v2_seen - 0.02);
    EXPECT_LT(v2_true, v1_true - 0.01);
    EXPECT_LT(pool_true, v2_true);
}

}  // namespace
}  // namespace assay::world
