// Shape bias: counts, clusters, and answers of people.
#include "quality/cues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "assay/quality/shape_bias_of_people.h"
#include "core/statistics.h"
#include "expected.h"
#include "message_of.h"
#include "scratch.h"

namespace assay::quality {
namespace {

using testing::HasSubstr;

TEST(CueImagesOf, Names) {
    EXPECT_EQ(cue_images_of("airplane/airplane1-bear2.png").shape, "airplane1");
    EXPECT_EQ(cue_images_of("airplane/airplane1-bear2.png").texture, "bear2");
    EXPECT_EQ(without_digits("bear12"), "bear");
    EXPECT_EQ(without_digits("12"), "");
    for (const char* name : {"bear.png", "-bear.png", "bear-.png", "a-b/bear.png"})
        EXPECT_EQ(cue_images_of(name).shape, "") << name;
}

TEST(ForegroundOf, Names) {
    EXPECT_EQ(foreground_of("00_dog/fg_n1_2_bg_n3_7.JPEG", false), "n1_2");
    EXPECT_EQ(foreground_of("00_dog/n1_2.JPEG", false), "n1_2");
    EXPECT_EQ(foreground_of("a/cat/0001.png", true), "a/cat/0001");
    EXPECT_EQ(foreground_of("0001.png", true), "0001");
    const auto need = [](const std::vector<const char*>& names) {
        StringColumn ids;
        for (const char* name : names) ids.append(name);
        return foregrounds_need_folders(ids);
    };
    EXPECT_FALSE(need({}));
    EXPECT_FALSE(need({"cat/fg_1_bg_2.png", "cat/fg_1_bg_3.png", "dog/4.png"}));
    EXPECT_TRUE(need({"cat/fg_1_bg_2.png", "cat/4.png", "dog/1.png"}));
}

TEST(ShapeBiasOf, ThePublishedDecisions) {
    ASSAY_EXPECTED_QUALITY(expected);
    for (const auto& model : expected["shape_bias_public_decisions"]) {
        std::vector<CueDecision> decisions;
        const auto add = [&](int count, bool shape, bool texture) {
            for (int i = 0; i < count; ++i) {
                const auto at = static_cast<std::uint32_t>(decisions.size());
                decisions.push_back({at, at, at, shape, texture});
            }
        };
        add(model["shape"], true, false);
        add(model["texture"], false, true);
        add(1200 - static_cast<int>(decisions.size()), false, false);
        const ShapeBias bias = shape_bias_of(decisions, .95);
        EXPECT_NEAR(*bias.value.value, model["shape_bias"].get<double>(), 5e-5);
        // Every image is its own cluster, so the variance is that of a proportion, times n / (n -
        // 1).
        const double n = static_cast<double>(bias.shape + bias.texture), p = *bias.value.value;
        EXPECT_NEAR(bias.variance, p * (1 - p) / (n - 1), 1e-15);
        EXPECT_EQ(bias.wilson.interval, wilson(bias.shape, bias.shape + bias.texture));
    }
}

TEST(ShapeBiasOf, ClustersWidenIt) {
    // There are four shapes of four images. The model always follows two of the shapes, never the
    // others.
    std::vector<CueDecision> decisions;
    for (std::uint32_t s = 0; s < 4; ++s) {
        for (std::uint32_t t = 0; t < 4; ++t) decisions.push_back({s, t, 4 * s + t, s < 2, s >= 2});
    }
    const ShapeBias bias = shape_bias_of(decisions, .95);
    EXPECT_EQ(*bias.value.value, .5);
    // Shapes give 4/3 sum of (4 / 32)^2, textures sums of 0, and images 16/15 of 16 / 32^2.
    EXPECT_NEAR(bias.variance, 4.0 / 3 * 4 / 64 - 16.0 / 15 / 64, 1e-15);
    EXPECT_EQ(bias.value.interval->method, "clusters.two_way");
    // Wilson's interval with t instead of z, and the n for which p (1 - p) / n is the variance.
    const double share = std::pow(student_t_quantile(.975, 3), 2) * bias.variance / .25;
    EXPECT_NEAR(half_width(bias.value), std::sqrt(.25 * share + share * share / 4) / (1 + share),
                1e-12);
}

class People : public testing::Test {
protected:
    PeopleShapeBiasResult of(const std::string& rows) {
        const std::filesystem::path file = scratch_ / "people.csv";
        std::ofstream(file) << "subj,object_response,category,imagename\n" << rows;
        return shape_bias_of_people({file});
    }
    Scratch scratch_;
};

TEST_F(People, AreCounted) {
    const PeopleShapeBiasResult result =
        of("a,cat,cat,1_cat1-dog1.png\n"
           "a,dog,cat,2_cat2-dog1.png\n"
           "a,cat,cat,3_cat3-dog2.png\n"
           "a,cat,cat,3_cat3-dog2.png\n"  // the same image is judged again
           "a,na,dog,4_dog1-cat1.png\n"   // the answer is neither cue
           "a,dog,dog,5_dog2-dog1.png\n"  // both cues are of one class
           "b,cat,cat,1_cat1-dog1.png\n");
    ASSERT_EQ(result.people.size(), 2U);
    EXPECT_EQ(result.people[0].person, "a");
    EXPECT_EQ(result.people[0].shape, 2U);
    EXPECT_EQ(result.people[0].texture, 1U);
    EXPECT_EQ(result.people[0].answers, 4U);
    EXPECT_EQ(*result.people[0].value.value, 2.0 / 3);
    EXPECT_EQ(*result.people[1].value.value, 1);
    EXPECT_EQ(*result.all.value.value, .75);
    EXPECT_EQ(result.warnings.size(), 1U);
    EXPECT_EQ(report_of(result).result["schema"], "assay.people_shape_bias/1");
    EXPECT_EQ(report_of(result).records.rows.size(), 3U);
}

TEST_F(People, BadNamesAreRefused) {
    EXPECT_THAT(message_of([&] { of("a,cat,cat,1_cat1.png\n"); }),
                HasSubstr("does not contain its shape and its texture"));
    EXPECT_THAT(message_of([&] { of("a,cat,cat,1_dog1-cat1.png\n"); }),
                HasSubstr("has the shape `dog`, but its category is `cat`"));
}

TEST(TenPeople, FollowTheShape) {
    const std::filesystem::path data = shared_data();
    if (data.empty()) GTEST_SKIP() << "SKIPPED: ../shared/data is absent";
    const PeopleShapeBiasResult result = shape_bias_of_people({data / "human_cue_conflict"});
    ASSERT_EQ(result.people.size(), 10U);
    EXPECT_EQ(result.all.shape, 9236U);
    EXPECT_EQ(result.all.texture, 398U);
    EXPECT_NEAR(*result.all.value.value, .9587, 5e-5);
    // Some images mislead many people, so the interval is wider than for independent answers.
    EXPECT_GT(half_width(result.all.value), 2 * half_width(result.all.wilson));
    EXPECT_LT(half_width(result.all.value), .03);
}

}  // namespace
}  // namespace assay::quality
