// Slices of images in clusters: the test, counts by hand, and the found slices.
#include "slices/cluster_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "assay/report.h"
#include "core/random.h"
#include "core/statistics.h"
#include "made_slices.h"
#include "message_of.h"

namespace assay::slices {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Without a cluster effect, this is Fisher's test. A design effect of 10 undoes ten copies.
TEST(ClusterTest, DividesCountsByTheDesignEffect) {
    const LowerTest lower(1000);
    EXPECT_NEAR(lower_with_effect({40, 80}, {800, 1000}, 1) / lower({40, 80}, {800, 1000}), 1,
                1e-10);
    EXPECT_NEAR(lower_with_effect({20, 40}, {50, 80}, 10), 35 / 70.0, 1e-12);
    EXPECT_NEAR(lower_with_effect({0, 30}, {50, 80}, 10), 1 / 56.0, 1e-12);
    // The value is between the probabilities of 1 and of 2 hits among 4 draws from 5 hits of 8.
    const double between = lower_with_effect({15, 40}, {50, 80}, 10);
    EXPECT_GT(between, 5 / 70.0);
    EXPECT_LT(between, 35 / 70.0);
}

// Four clusters of two images have 6 of 8 hits, so the variance is 3/16. Over all
// pairs of images of one cluster, the products of residuals give the correlation
// (1/4 + 9/4 + 1/4 + 1/4 - 8 * 3/16) / (3/16 * 8) = 1.
TEST(DesignEffect, IsTheSizeOfClustersThatAreAlike) {
    DesignEffect apart({2, 4}, {6, 8});
    apart.add({2, 2}, {2, 2});
    apart.add({0, 2}, {0, 2});
    apart.add({0, 0}, {2, 2});
    apart.add({0, 0}, {2, 2});
    EXPECT_NEAR(apart.value(), 2, 1e-14);
    // Each cluster has one image on each side, so their difference does not vary.
    DesignEffect within({3, 4}, {6, 8});
    for (const std::uint64_t hits : {1, 0, 1, 1}) within.add({hits, 1}, {2 * hits, 2});
    EXPECT_EQ(within.value(), 1);
}

// Clusters of two images have (2 0 2 0) hits in the slice, (1 1 1 1) in the rest. All residuals of
// the rest are 0, and those of the slice are 1 / 8. (4 / 64) / (1/4 * (1/8 + 1/8)) = 1. The pairs
// of all clusters give (4 * 1 - 16 / 4) / (16 / 4) = 0, and with 8 errors the correlation is 3/11.
TEST(DesignEffect, IsAtLeastWhatTheResidualsOfTheSliceSay) {
    DesignEffect effect({4, 8}, {8, 16});
    for (const std::uint64_t hits : {2, 0, 2, 0}) effect.add({hits, 2}, {hits, 2});
    for (int c = 0; c < 4; ++c) effect.add({0, 0}, {1, 2});
    EXPECT_NEAR(effect.value(), 1 + 3 / 11.0, 1e-14);
    // Twenty other clusters, each with one hit of two, make pairs less similar, so the residuals
    // decide: 4 * (2 / 16)^2 / (1/4 * (1/16 + 1/40)) = 20 / 7.
    DesignEffect larger({8, 16}, {28, 56});
    for (const std::uint64_t hits : {4, 0, 4, 0}) larger.add({hits, 4}, {hits, 4});
    for (int c = 0; c < 20; ++c) larger.add({0, 0}, {1, 2});
    EXPECT_NEAR(larger.value(), 20 / 7.0, 1e-13);
}

// Tests image by image, or cluster by cluster.
TEST(DesignEffect, IsTheSameFromImages) {
    RandomStream random(3, "effect");
    std::vector<std::uint32_t> cluster;
    std::vector<std::uint8_t> code;
    std::vector<std::int32_t> inside;
    Counts part, whole;
    for (std::size_t i = 0; i < 300; ++i) {
        cluster.push_back(static_cast<std::uint32_t>(i / 7));
        code.push_back(random.uniform() < 0.6 ? 1 : 0);
        inside.push_back(random.uniform() < 0.4 ? 1 : 0);
        whole = {whole.hits + code[i], whole.images + 1};
        if (inside[i] == 1) part = {part.hits + code[i], part.images + 1};
    }
    const ValuesInClusters all(cluster, code, std::vector<std::int32_t>(300), 1);
    DesignEffect by_image(part, whole, all.sums(0, 0)), by_cluster(part, whole);
    for (std::size_t begin = 0; begin < 300; begin += 7) {
        Counts own, of_all;
        for (std::size_t i = begin; i < std::min<std::size_t>(300, begin + 7); ++i) {
            of_all = {of_all.hits + code[i], of_all.images + 1};
            if (inside[i] == 0) continue;
            own = {own.hits + code[i], own.images + 1};
            by_image.add_image(cluster[i], code[i] == 1, all.of_image(i));
        }
        by_cluster.add(own, of_all);
    }
    EXPECT_EQ(by_image.value(), by_cluster.value());
}

TEST(Clusters, AreCountedOnBothSides) {
    const std::vector<std::uint32_t> cluster = {5, 5, 5, 2, 2, 9};
    const std::vector<std::int32_t> value = {0, 1, 0, 1, 1, 0};
    const std::vector<std::uint8_t> code = {1, 0, 0, 1, 1, 2};
    const ValuesInClusters values(cluster, code, value, 2);
    const auto counts = [&](std::size_t i) {
        return std::pair(values.of_image(i).hits, values.of_image(i).images);
    };
    EXPECT_EQ(counts(0), std::pair(1U, 2U));
    EXPECT_EQ(counts(1), std::pair(0U, 1U));
    EXPECT_EQ(counts(2), std::pair(1U, 2U));
    EXPECT_EQ(counts(4), std::pair(2U, 2U));
    EXPECT_EQ(counts(5), std::pair(0U, 1U));
    EXPECT_THAT(values.images(1, 0), ElementsAre(1, 3, 4));
    EXPECT_THAT(values.images(0, 1), ElementsAre(5));
    EXPECT_EQ(values.sums(0, 0).images, 4U);  // sum of 2^2
    EXPECT_EQ(values.sums(1, 0).images, 5U);  // sum of 1^2 + 2^2
    EXPECT_EQ(values.sums(1, 0).hits, 4U);
    EXPECT_EQ(values.sums(1, 0).both, 4U);
    const std::vector<std::uint32_t> whole = {3, 3, 3, 2, 2, 1};
    ClusterTally tally;
    for (std::size_t i = 0; i < cluster.size(); ++i)
        if (value[i] == 0) tally.add(cluster[i], whole[i]);
    EXPECT_EQ(tally.clusters(), 2U);  // counts 5 and 9
    EXPECT_EQ(tally.others(3), 2U);   // counts 5 and 2
}

/// 100 patients (the attribute texture) of 12 images. All images of a patient have the same group,
/// and they are all correct or all incorrect.
Made patients(std::uint64_t seed, const std::function<double(char group)>& accuracy) {
    RandomStream random(seed, "patients");
    std::vector<char> groups;
    std::vector<bool> correct;
    for (std::size_t p = 0; p < 100; ++p) {
        groups.push_back(static_cast<char>('a' + random.below(3)));
        correct.push_back(random.uniform() < accuracy(groups.back()));
    }
    Made made =
        world(1200, seed, [&](const Made&, std::size_t i) { return correct[i % 100] ? 1 : 0; });
    for (std::size_t i = 0; i < made.rows(); ++i) {
        made.group[i] = std::string(1, groups[i % 100]);
        made.texture.push_back(fmt::format("p{}", i % 100));
    }
    return made;
}

TEST(Slices, ImagesOfOneClusterAreNotIndependent) {
    const Scratch folder;
    save(folder, patients(3, [](char) { return 0.8; }), "a");
    SliceOptions options = options_of(folder);
    const auto by_group = [&] {
        const SlicedModel model = find_slices(options).models[0];
        return std::ranges::any_of(names_of(model), [](const std::string& name) {
            return name.find("group") != std::string::npos;
        });
    };
    EXPECT_TRUE(by_group());
    options.cluster = "texture";
    EXPECT_FALSE(by_group());
    for (const SliceFacet& facet : find_slices(options).facets) EXPECT_NE(facet.by, "texture");
}

TEST(Slices, ASliceOfClustersHasTheirNumbers) {
    const Scratch folder;
    Made made = patients(4, [](char group) { return group == 'b' ? 0.2 : 0.97; });
    // 72 images, but only six clusters in both halves together.
    for (std::size_t i = 0; i < made.rows(); ++i)
        if (i % 100 < 6) made.shape[i] = "z";
    save(folder, made, "a");
    SliceOptions options = options_of(folder);
    options.cluster = "texture";
    options.threads = 1;
    const SliceResult result = find_slices(options);
    const SlicedModel& model = result.models[0];
    ASSERT_THAT(names_of(model), Contains("group=b"));
    const auto found = std::ranges::find(model.found, "group=b", &FoundSlice::name);
    std::set<std::string> clusters, second;
    std::uint64_t images = 0;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const bool first =
            RandomStream(0, "slices half of cluster " + made.texture[i]).uniform() < 0.5;
        if (!first) second.insert(made.texture[i]);
        if (made.group[i] != "b") continue;
        clusters.insert(made.texture[i]);
        images += first ? 0 : 1;
    }
    EXPECT_EQ(found->clusters, clusters.size());
    EXPECT_EQ(found->accuracy.n, images);
    EXPECT_EQ(model.second, 12 * second.size());
    EXPECT_EQ(found->accuracy.interval->method, "wilson.clusters");
    // The interval is at least as wide as that of as many images as there are clusters.
    const double p = *found->accuracy.value;
    const Interval independent = wilson_of_mean(p, images / 12);
    EXPECT_LE(found->accuracy.interval->low, independent.low + 1e-9);
    EXPECT_THAT(result.notes, Contains(HasSubstr("whole clusters of images by `texture`; there "
                                                 "are 100")));
    EXPECT_GE(model.few_clusters.value_or(0), 1U);
    EXPECT_EQ(report_of(result).result["cluster"], "texture");
    options.threads = 7;
    EXPECT_EQ(report_of(result).result, report_of(find_slices(options)).result);
}

TEST(Slices, ResultsWithoutClustersDoNotNameThem) {
    const Scratch folder;
    save(folder, world(1200, 1, low_group), "a");
    const auto json = report_of(find_slices(options_of(folder))).result;
    EXPECT_FALSE(json.contains("cluster"));
    EXPECT_FALSE(json["models"][0].contains("few_clusters"));
    EXPECT_FALSE(json["models"][0]["found"][0].contains("clusters"));
}

TEST(Slices, ClustersThatCannotBeUsedAreRefused) {
    const Scratch folder;
    Made made = patients(3, [](char) { return 0.8; });
    for (std::size_t i = 0; i < made.rows(); ++i) made.texture[i] = std::to_string(i % 19);
    save(folder, made, "a");
    SliceOptions options = options_of(folder);
    options.cluster = "textur";
    EXPECT_THAT(message_of([&] { find_slices(options); }, ErrorCode::usage),
                HasSubstr("no attribute `textur`"));
    options.cluster = "texture";
    EXPECT_THAT(message_of([&] { find_slices(options); }),
                AllOf(HasSubstr("are of 19 clusters by `texture`"), HasSubstr("at least 20")));
    // Images without a value are single clusters.
    made.texture[1].clear();
    save(folder, made, "a", StorageFormat::full_f32, 100, false, "more");
    options.stores = {folder / "more"};
    EXPECT_THAT(find_slices(options).notes,
                Contains(HasSubstr("there are 20, 1 of them single images")));
}

}  // namespace
}  // namespace assay::slices
