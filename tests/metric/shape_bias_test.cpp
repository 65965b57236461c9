// Shape bias from rows with two cues. Counts are by hand, and some values are undefined.
#include <gtest/gtest.h>

#include <vector>

#include "assay/metric/metric.h"
#include "core/statistics.h"

namespace assay {
namespace {

struct Seen {
    std::int32_t predicted, shape, texture;
};

Estimate bias_of(const std::vector<Seen>& seen, const std::string& no_cues = "") {
    const MetricRequest request = parse_metric("shape_bias");
    MetricContext context;
    context.shape.classes = 4;
    context.shape.no_cues = no_cues;
    context.parameters = request.parameters;
    const auto accumulator = request.facts->accumulate(context);
    std::vector<RowFacts> rows;
    for (const Seen& one : seen) {
        RowFacts& row = rows.emplace_back();
        row.predicted = one.predicted;
        row.shape_cue = one.shape;
        row.texture_cue = one.texture;
    }
    std::vector<std::int64_t> state(accumulator->slots() * group_count);
    accumulator->update(state, rows);
    return request.facts->value(context, std::span(state).first(accumulator->slots()));
}

TEST(ShapeBias, ProportionOfThoseThatFollowACue) {
    const Estimate value = bias_of({
        {0, 0, 1},  // predicts the shape
        {2, 2, 3},  // predicts the shape
        {1, 1, 0},  // predicts the shape
        {3, 0, 3},  // predicts the texture
        {2, 0, 1},  // predicts neither
        {1, 1, 1},  // both cues are one class, so the row is excluded although both are predicted
        {0, 0, 0},
        {0, 0, -1},  // the row has no texture and no shape, so it is excluded
        {1, -1, 1},
    });
    EXPECT_EQ(value.n, 4U);
    EXPECT_EQ(value.value, 0.75);  // the value is 3 / (3 + 1)
    ASSERT_TRUE(value.interval);
    EXPECT_EQ(*value.interval, wilson(3, 4));
}

TEST(ShapeBias, PeopleOnTheCueConflictImages) {
    // 9236 decisions for the shape and 398 for the texture: 0.9587 (Geirhos et al.)
    std::vector<Seen> seen(9236, {0, 0, 1});
    seen.resize(9236 + 398, {1, 0, 1});
    EXPECT_NEAR(*bias_of(seen).value, 0.9587, 5e-5);
}

TEST(ShapeBias, UndefinedSaysWhy) {
    EXPECT_EQ(bias_of({{0, -1, -1}}, "no attributes").undefined, "no attributes");
    EXPECT_EQ(bias_of({{1, 1, 1}}).undefined, "no item has a shape and a texture of two classes");
    const Estimate none = bias_of({{2, 0, 1}, {-1, 0, 1}});
    EXPECT_EQ(none.undefined, "no prediction is the class of the shape or of the texture");
    EXPECT_EQ(none.n, 0U);
    EXPECT_FALSE(none.interval);
    // Without a decision for the shape, the value is 0 and not undefined.
    EXPECT_EQ(bias_of({{1, 0, 1}}).value, 0.0);
}

}  // namespace
}  // namespace assay
