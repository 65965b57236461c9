#include "assay/data/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "assay/error.h"
#include "data/dataset_name.h"

namespace assay {
namespace {

/// sizes[c] items of class c, in class order, followed by `unlabelled` items.
Dataset made(const std::vector<std::size_t>& sizes, std::size_t unlabelled = 0) {
    Dataset dataset;
    dataset.name = "val";
    dataset.root = "images";
    dataset.classes = numbered_classes(sizes.size());
    dataset.attributes.push_back({"place", {}});
    const auto add = [&](std::span<const std::int32_t> labels) {
        const std::string id = "i" + std::to_string(dataset.ids.size());
        dataset.paths.append(id + ".png");
        dataset.attributes[0].values.append(std::to_string(dataset.ids.size()));
        dataset.ids.append(id);
        dataset.labels.append(labels);
    };
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        const auto label = static_cast<std::int32_t>(c);
        for (std::size_t i = 0; i < sizes[c]; ++i) add({&label, 1});
    }
    for (std::size_t i = 0; i < unlabelled; ++i) add({});
    return dataset;
}

std::map<std::int32_t, std::size_t> counts(const Dataset& dataset) {
    std::map<std::int32_t, std::size_t> out;
    for (std::size_t i = 0; i < dataset.size(); ++i) ++out[dataset.single_label(i)];
    return out;
}

TEST(StratifiedSample, EachClassGivesItsProportion) {
    using Counts = std::map<std::int32_t, std::size_t>;
    // Of 1000 items, 100 are drawn: a tenth of each class.
    EXPECT_EQ(counts(stratified_sample(made({500, 300, 200}), 100, 0)),
              (Counts{{0, 50}, {1, 30}, {2, 20}}));
    // 10 of 30 items give the quotas 5, 10/3, 5/3. The largest remainder (2/3) gets the last item.
    EXPECT_EQ(counts(stratified_sample(made({15, 10, 5}), 10, 0)),
              (Counts{{0, 5}, {1, 3}, {2, 2}}));
    // Items without labels are a stratum, too.
    EXPECT_EQ(counts(stratified_sample(made({30, 30}, 40), 10, 0)),
              (Counts{{-1, 4}, {0, 3}, {1, 3}}));
}

TEST(StratifiedSample, KeepsOrderPathsLabelsAndAttributes) {
    const Dataset whole = made({40, 40, 40});
    const Dataset part = stratified_sample(whole, 30, 5);
    ASSERT_EQ(part.size(), 30U);
    EXPECT_EQ(part.name, whole.name);
    EXPECT_EQ(part.classes, whole.classes);
    std::size_t last = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
        const std::size_t place = std::stoul(std::string(part.attributes[0].values[i]));
        EXPECT_TRUE(i == 0 || place > last);
        last = place;
        EXPECT_EQ(part.ids[i], whole.ids[place]);
        EXPECT_EQ(part.path_of(i), whole.path_of(place));
        EXPECT_EQ(part.single_label(i), whole.single_label(place));
    }
}

TEST(StratifiedSample, SeedsAndBounds) {
    const Dataset whole = made({40, 40, 40});
    const auto print = [&](std::size_t n, std::uint64_t seed) {
        return stratified_sample(whole, n, seed).ids_fingerprint();
    };
    EXPECT_EQ(print(30, 1), print(30, 1));
    EXPECT_NE(print(30, 1), print(30, 2));
    EXPECT_EQ(print(120, 1), whole.ids_fingerprint());
    EXPECT_EQ(print(1000, 1), whole.ids_fingerprint());
    EXPECT_EQ(stratified_sample(made({}), 5, 0).size(), 0U);
    EXPECT_THROW(stratified_sample(whole, 0, 1), Error);
}

TEST(NamesOfParts, AreMadeAndTakenOffAgain) {
    EXPECT_EQ(name_of_first("photos", 50), "photos-first50");
    EXPECT_EQ(name_of_sample("photos", 50, 0), "photos-sample50");
    EXPECT_EQ(name_of_sample("photos", 50, 7), "photos-sample50-seed7");
    for (const char* name :
         {"photos-first50", "photos-sample50", "photos-sample50-seed7", "photos"})
        EXPECT_EQ(name_of_whole(name), "photos") << name;
    // Names that only look similar do not change.
    for (const char* name : {"-first50", "50", "first50", "photos-first", "photos-50",
                             "photos-seed7", "a-sample-50", ""})
        EXPECT_EQ(name_of_whole(name), name);
}

// With fewer images than classes, the classes are drawn, too. Each of 50 items (one per class) is
// in 10 / 50 of the samples of 200 seeds: 40 +- 4 * sqrt(200 * 0.2 * 0.8) = 40 +- 23.
TEST(StratifiedSample, EveryItemHasTheSameChance) {
    const Dataset whole = made(std::vector<std::size_t>(50, 1));
    std::map<std::string, int> times;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Dataset part = stratified_sample(whole, 10, seed);
        for (std::size_t i = 0; i < part.size(); ++i) ++times[std::string(part.ids[i])];
    }
    ASSERT_EQ(times.size(), 50U);
    for (const auto& [id, n] : times) EXPECT_NEAR(n, 40, 23) << id;
}

}  // namespace
}  // namespace assay
