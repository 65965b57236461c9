// Plans the sizes of studies from a pilot.
#include "assay/replication/plan.h"
#include "assay/replication/steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "assay/replication/adjust.h"
#include "assay/replication/simulation.h"

namespace assay::replication {
namespace {

using testing::HasSubstr;

Study pilot_of(std::uint32_t classes, std::uint32_t images) {
    SimulationOptions options;
    options.classes = classes;
    options.images_per_class = images;
    options.classifiers = 3;
    options.annotators = 20;
    options.seed = 5;
    return study_of(simulate(options));
}

/// If the width is that of the pilot's own interval, the planned size is that of the pilot.
TEST(Plan, APilotPlansItself) {
    const Study pilot = pilot_of(200, 10);
    AdjustOptions adjustment;
    adjustment.moments = adjustment.naive = false;
    adjustment.jackknife.clear();
    const AdjustReport found = adjust(pilot, adjustment);
    std::vector<double> errors;
    for (const Estimate& a : found.methods.front().adjusted) errors.push_back(*a.standard_error);
    std::sort(errors.begin(), errors.end());
    PlanOptions options;
    options.width = 2 * 1.959964 * errors[1];
    options.annotators = {20, 40};
    const PlanReport report = plan(pilot, options);
    const PlanRow &same = report.rows[0], &more = report.rows[1];
    // Planned errors use expected counts, and the errors of the pilot use drawn counts.
    EXPECT_NEAR(*same.standard_error.value / errors[1], 1, .1);
    EXPECT_NEAR(*same.images.value / 2000, 1, .4);
    EXPECT_LT(same.images.interval->low, 2000);
    EXPECT_GT(same.images.interval->high, 2000);
    EXPECT_EQ(same.images.interval->method, "t.jackknife.class_tenths");
    EXPECT_GE(*same.worst_images.value, *same.images.value);
    EXPECT_LT(*same.mean_images.value, *same.images.value);
    EXPECT_LT(*more.images.value, *same.images.value);
    EXPECT_LT(std::abs(*same.likelihood_bias.value), std::abs(*same.naive_bias.value));
    // the pilot does not know the annotators
    EXPECT_NEAR(*same.raw_bias.value, *more.raw_bias.value, 1e-12);
    // The bits of the result are the same for any number of threads.
    options.threads = 1;
    const std::string one = to_json(PlanOutcome{{}, options, plan(pilot, options)}).dump();
    options.threads = 2;
    EXPECT_EQ(to_json(PlanOutcome{{}, options, plan(pilot, options)}).dump(), one);
}

TEST(Plan, SmallPilotsHaveNoIntervals) {
    PlanOptions options;
    options.annotators = {10};
    options.width = .2;
    const PlanReport report = plan(pilot_of(10, 30), options);
    EXPECT_TRUE(report.rows[0].images.value.has_value());
    EXPECT_FALSE(report.rows[0].images.interval.has_value());
    EXPECT_THAT(report.rows[0].images.note, HasSubstr("fewer than 20 classes"));
}

}  // namespace
}  // namespace assay::replication
