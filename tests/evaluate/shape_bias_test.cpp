// Shape bias of stores. Cues come from attributes, also with class maps. By default, it is only
// measured if the store has cues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/collective/comm.h"
#include "assay/evaluate/compare.h"
#include "saved_scores.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

/// One row for each prediction, of the classes c0 .. c3.
Made predicting(const std::vector<std::size_t>& classes) {
    Made made;
    made.classes = 4;
    for (const std::size_t c : classes) {
        for (std::size_t k = 0; k < 4; ++k) made.scores.push_back(k == c ? 3.0F : 0.0F);
        made.labels.push_back({0});
    }
    return made;
}

Measurement bias_of(const PredictionStore& store, std::optional<ClassMap> map = std::nullopt) {
    ScoreOptions options;
    options.metrics = {parse_metric("shape_bias")};
    options.map = std::move(map);
    const auto comm = self_comm();
    return score_store(store, options, *comm).measurements.at(0);
}

ClassMap two_targets(ClassMap::Decision decision) {
    ClassMap map;
    map.name = "two";
    map.targets = ClassList({"animal", "thing"});
    map.target_of = {0, 0, 1, -1};
    map.decision = decision;
    return map;
}

TEST(ShapeBiasOfStores, AttributesNameClasses) {
    const Scratch folder;
    Made made = predicting({0, 1, 2, 3, 1});
    made.shape = {"c0", "c1", "c0", "c0", ""};
    made.texture = {"c1", "c1", "2", "c1", "c1"};  // a class may be named by its number
    const Measurement m = bias_of(save(folder, made, "net"));
    // Row 0 follows the shape, and row 2 the texture. In row 1 both are one class, row 3 follows
    // neither, and row 4 has no shape.
    EXPECT_EQ(m.value, 0.5);
    EXPECT_EQ(m.n, 2U);
    EXPECT_EQ(m.left_out, 3U);
    EXPECT_EQ(m.unit, Unit::proportion);
    EXPECT_EQ(m.key.definition, "shape_bias.either_cue");
}

TEST(ShapeBiasOfStores, ThroughEveryKindOfMap) {
    const Scratch folder;
    Made made = predicting({0, 2, 1, 3});
    made.shape = {"animal", "animal", "animal", "animal"};
    made.texture = {"thing", "thing", "thing", "thing"};
    const PredictionStore targets = save(folder, made, "targets");
    // The predictions are shape, texture, shape and c3, which is not a target. The mean of groups
    // chooses the target with the larger mean, and of two equal ones the first.
    EXPECT_EQ(bias_of(targets, two_targets(ClassMap::Decision::map_argmax)).value, 2.0 / 3);
    EXPECT_EQ(bias_of(targets, two_targets(ClassMap::Decision::mean_of_group)).value, 0.75);
    ClassMap some = two_targets(ClassMap::Decision::restrict_);
    some.target_of = {0, -1, 1, -1};
    EXPECT_EQ(bias_of(targets, some).value, 0.75);  // c1 and c3 tie at 0, so c1 counts
    // without the map, they are not names of classes
    EXPECT_FALSE(bias_of(targets).value);

    // Classes of the model are mapped, too. Two classes of one target are not a conflict.
    made.shape = {"c0", "c1", "c1", "c3"};
    made.texture = {"c2", "c2", "c0", "c0"};
    made.dataset = "mapped";
    const Measurement m =
        bias_of(save(folder, made, "net"), two_targets(ClassMap::Decision::map_argmax));
    EXPECT_EQ(m.value, 0.5);  // rows 0 and 1 count; the map does not contain the shape of row 3
    EXPECT_EQ(m.n, 2U);
}

TEST(ShapeBiasOfStores, ShownByDefaultWhereTheCuesAre) {
    const Scratch folder;
    Made made = predicting({0, 1, 2, 3});
    const auto shown = [&](const char* dataset) {
        made.dataset = dataset;
        const auto comm = self_comm();
        const ScoreReport report = score_store(save(folder, made, "net"), {}, *comm);
        return std::any_of(report.measurements.begin(), report.measurements.end(),
                           [](const Measurement& m) { return m.key.metric == "shape_bias"; });
    };
    EXPECT_FALSE(shown("plain"));
    EXPECT_THAT(bias_of(PredictionStore::open(folder.path() / "runs/plain/net")).undefined,
                HasSubstr("has no attributes `shape` and `texture`"));
    made.shape = {"c0", "c0", "c0", "c0"};
    EXPECT_FALSE(shown("half"));
    made.texture = {"c1", "c1", "c1", "round"};
    EXPECT_TRUE(shown("both"));
    EXPECT_EQ(bias_of(PredictionStore::open(folder.path() / "runs/both/net")).undefined,
              "`texture` of item `item00003` is `round`, which is not a class");
}

TEST(ShapeBiasOfStores, IsPaired) {
    const Scratch folder;
    Made one = predicting({0, 1, 0, 1, 0, 1, 0, 1}), two = predicting({0, 0, 0, 1, 0, 0, 0, 1});
    for (Made* made : {&one, &two}) {
        made->shape.assign(8, "c0");
        made->texture.assign(8, "c1");
    }
    const PredictionStore a = save(folder, one, "a"), b = save(folder, two, "b");
    const std::vector<const PredictionStore*> candidates{&b};
    const auto comm = self_comm();
    const auto reports = compare_stores(a, candidates, {}, *comm);
    const auto& metrics = reports.at(0).metrics;
    const auto found = std::find_if(metrics.begin(), metrics.end(), [](const PairedMetric& m) {
        return m.baseline.key.metric == "shape_bias";
    });
    ASSERT_NE(found, metrics.end());
    EXPECT_EQ(found->difference.value, 0.25);  // 6 of 8 and 4 of 8
    EXPECT_TRUE(found->difference.interval);
}

}  // namespace
}  // namespace assay
