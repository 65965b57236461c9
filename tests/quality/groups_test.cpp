#include "assay/quality/groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "expected.h"
#include "message_of.h"

namespace assay::quality {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A table that only has accuracies.
QualityTable with_accuracies(const std::vector<double>& values,
                             const std::vector<std::string>& kin = {}) {
    QualityTable table;
    table.tags = {"kin"};
    for (std::size_t i = 0; i < values.size(); ++i) {
        QualityModel model;
        model.name = model.label = "m" + std::to_string(i);
        model.tags = {kin.empty() ? "" : kin[i]};
        model.cells[0].value = values[i];
        table.models.push_back(model);
    }
    return table;
}

GroupOptions rows(const std::string& first, const std::string& second, bool paired = false) {
    GroupOptions options;
    options.first = {"rows=" + first};
    options.second = {"rows=" + second};
    options.paired = paired;
    return options;
}

std::string list_of(const json& zero_based) {
    std::string text;
    for (const json& row : zero_based)
        text += (text.empty() ? "" : ",") + std::to_string(row.get<int>() + 1);
    return text;
}

TEST(Groups, PublishedTable2) {
    ASSAY_EXPECTED_QUALITY(expected);
    ASSERT_GE(expected["table2"].size(), 10U);
    for (const auto& [setup, want] : expected["table2"].items()) {
        GroupOptions options = rows(list_of(want["reference_rows"]), list_of(want["variant_rows"]));
        options.published_test = true;
        options.permutations = 200;
        const GroupResult found = compare_groups(published_models(), options);
        ASSERT_EQ(found.dimensions.size(), 9U);
        for (std::size_t d = 0; d < 9; ++d) {
            const GroupDifference& g = found.dimensions[d];
            const double first = want["means_reference"][d], second = want["means_variant"][d];
            EXPECT_NEAR(*g.first.value, first, 1e-4 * std::fabs(first)) << setup << d;
            EXPECT_NEAR(*g.second.value, second, 1e-4 * std::fabs(second)) << setup << d;
            const double p = want["p_student_deduplicated"][d];
            ASSERT_TRUE(g.published) << setup << d;
            EXPECT_NEAR(g.published->p, p, 1e-3 * p) << setup << d;
            EXPECT_EQ(g.published->stars, want["stars_deduplicated"][d].get<int>()) << setup << d;
        }
    }
}

TEST(Groups, ExactTestsCountAllExchanges) {
    // Two separate groups have 3 rows each, and 2 of 20 arrangements are as extreme.
    const GroupResult apart =
        compare_groups(with_accuracies({.1, .2, .3, .7, .8, .95}), rows("1-3", "4-6"));
    EXPECT_TRUE(apart.exact);
    EXPECT_DOUBLE_EQ(apart.dimensions[0].p, 0.1);
    EXPECT_NEAR(*apart.dimensions[0].difference.value, (.7 + .8 + .95 - .6) / 3, 1e-12);
    // Six pairs all differ in the same direction, and 2 of 64 combinations of signs are as extreme.
    const GroupResult pairs =
        compare_groups(with_accuracies({.1, .2, .3, .4, .5, .6, .15, .22, .36, .41, .58, .69}),
                       rows("1-6", "7-12", true));
    EXPECT_TRUE(pairs.exact);
    EXPECT_EQ(pairs.clusters, 6U);
    EXPECT_DOUBLE_EQ(pairs.dimensions[0].p, 2.0 / 64);
    // This is Student's t of the differences, if every pair is its own cluster.
    const std::vector<double> d{.05, .02, .06, .01, .08, .09};
    double mean = 0, squares = 0;
    for (const double x : d) mean += x / 6;
    for (const double x : d) squares += (x - mean) * (x - mean);
    EXPECT_NEAR(*pairs.dimensions[0].difference.standard_error, std::sqrt(squares / 5 / 6), 1e-12);
    // Eight dimensions lack values and are skipped, each with a warning.
    EXPECT_EQ(pairs.dimensions.size(), 1U);
    EXPECT_EQ(std::count_if(pairs.warnings.begin(), pairs.warnings.end(),
                            [](const auto& w) { return w.find("is skipped") != w.npos; }),
              8);
}

TEST(Groups, PairsThatShareAModelOrAFamilyAreOneCluster) {
    // Two variants have the same reference, row 1.
    const QualityTable table =
        with_accuracies({.1, .2, .3, .4, .5, .6, .7, .8}, {"a", "b", "b", "c", "", "", "", ""});
    EXPECT_EQ(compare_groups(table, rows("1,1,2,3,4", "5,6,7,8,5", true)).clusters, 3U);
    GroupOptions options = rows("1,2,3,4", "5-8", true);
    EXPECT_EQ(compare_groups(table, options).clusters, 4U);
    options.family = "kin";
    EXPECT_EQ(compare_groups(table, options).clusters, 3U);
}

TEST(Groups, NoDifferenceIsFoundWhereThereIsNone) {
    // The rows are families of copies. If each copy counted as a pair, they would look significant.
    int plain = 0, clustered = 0, unpaired = 0;
    constexpr int studies = 200;
    for (std::uint64_t study = 0; study < studies; ++study) {
        RandomStream random(study, "null");
        std::vector<double> first, second;
        std::vector<std::string> kin;
        for (int f = 0; f < 12; ++f) {
            const double shift = .1 * random.normal();
            for (int k = 0; k < 4; ++k) {
                const double base = .5 + .02 * random.normal();
                first.push_back(base);
                second.push_back(base + shift + .02 * random.normal());
                kin.push_back(std::to_string(f));
            }
        }
        std::vector<double> all = first;
        all.insert(all.end(), second.begin(), second.end());
        std::vector<std::string> all_kin = kin;
        all_kin.insert(all_kin.end(), kin.begin(), kin.end());
        const QualityTable table = with_accuracies(all, all_kin);
        GroupOptions options = rows("1-48", "49-96", true);
        options.permutations = 200;
        options.seed = study;
        plain += compare_groups(table, options).dimensions[0].p < .05 ? 1 : 0;
        options.family = "kin";
        clustered += compare_groups(table, options).dimensions[0].p < .05 ? 1 : 0;
        GroupOptions free = rows("1-20", "21-40");
        free.permutations = 200;
        free.seed = study;
        std::vector<double> plain_draws;
        for (int i = 0; i < 40; ++i) plain_draws.push_back(.5 + .1 * random.normal());
        unpaired +=
            compare_groups(with_accuracies(plain_draws), free).dimensions[0].p < .05 ? 1 : 0;
    }
    EXPECT_GT(plain, .2 * studies);
    EXPECT_LT(clustered, .1 * studies);  // .05 plus three standard errors
    EXPECT_LT(unpaired, .1 * studies);
    EXPECT_GT(unpaired, 0);
}

TEST(Groups, BadRequestsAreRefused) {
    const QualityTable table = with_accuracies({.1, .2, .3, .4, .5});
    const auto refused = [&](const GroupOptions& options) {
        return message_of([&] { compare_groups(table, options); }, ErrorCode::usage);
    };
    EXPECT_THAT(refused(rows("1-3", "3-5")), HasSubstr("m2 is in both groups"));
    EXPECT_THAT(refused(rows("1", "2-3")), HasSubstr("at least two models"));
    EXPECT_THAT(refused(rows("1-3", "4-5", true)), HasSubstr("3 and 2 models"));
    GroupOptions family = rows("1-2", "3-4");
    family.family = "kin";
    EXPECT_THAT(refused(family), HasSubstr("add --paired"));
}

}  // namespace
}  // namespace assay::quality
