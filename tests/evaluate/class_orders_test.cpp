// The orders of the classes that names and scores suggest, against counts made here.
#include "evaluate/inspect/class_orders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "saved_scores.h"

namespace assay {
namespace {

using inspect::orders_by_names;
using inspect::orders_by_scores;
using testing::ElementsAre;
using testing::HasSubstr;
using Verdict = ClassOrders::Verdict;

std::vector<std::string> numbers(std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t c = 0; c < count; ++c) out.push_back(std::to_string(c));
    return out;
}

/// made_up() of 12 classes, whose output j is the class order[j].
Made reordered(const std::vector<std::size_t>& order, std::size_t rows = 240, double skill = 2) {
    Made made = made_up(rows, 12, 5, skill);
    made.class_ids = numbers(12);
    std::vector<float> scores;
    for (std::size_t i = 0; i < rows; ++i)
        for (const std::size_t c : order) scores.push_back(made.scores[i * 12 + c]);
    made.scores = std::move(scores);
    return made;
}

std::vector<std::size_t> given() {
    std::vector<std::size_t> order(12);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

/// 0, 1, 10, 11, 2, ..., as folders are sorted.
std::vector<std::size_t> as_text() {
    std::vector<std::size_t> order = given();
    std::ranges::sort(order, {}, [](std::size_t c) { return std::to_string(c); });
    return order;
}

bool is_correct(const Made& made, std::size_t row, const std::vector<std::size_t>& order) {
    const float* const scores = made.scores.data() + row * 12;
    const auto best = static_cast<std::size_t>(std::max_element(scores, scores + 12) - scores);
    return static_cast<std::int32_t>(order[best]) == made.labels[row][0];
}

/// The two-sided exact McNemar test: twice the binomial tail, from logarithms of factorials.
double exact_p(std::size_t less, std::size_t more) {
    const double n = static_cast<double>(less + more);
    double tail = 0;
    for (std::size_t k = 0; k <= less; ++k) {
        const auto x = static_cast<double>(k);
        tail += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) -
                         n * std::log(2.0));
    }
    return std::min(1.0, 2 * tail);
}

TEST(ClassOrders, TheGivenOrderFits) {
    const Scratch folder;
    const Made made = reordered(given());
    const ClassOrders found = orders_by_scores(save(folder, made, "m"));
    EXPECT_EQ(found.verdict, Verdict::given) << found.text;
    EXPECT_EQ(found.images, 240U);
    EXPECT_EQ(found.chance_p, 0.001);  // none of 999 shuffles does as well
    std::uint64_t correct = 0;
    for (std::size_t i = 0; i < 240; ++i) correct += is_correct(made, i, given()) ? 1U : 0U;
    EXPECT_EQ(found.orders.front().name, "as given");
    EXPECT_EQ(found.orders.front().correct, correct);
    EXPECT_EQ(found.orders.front().p, std::nullopt);
}

TEST(ClassOrders, ClassesSortedAsTextAreFoundWithAnExactP) {
    const Scratch folder;
    const Made made = reordered(as_text());
    const ClassOrders found = orders_by_scores(save(folder, made, "m"));
    EXPECT_EQ(found.verdict, Verdict::other) << found.text;
    EXPECT_THAT(found.text, HasSubstr("0..11 sorted as text"));
    const ClassOrder& best = found.orders.at(1);
    EXPECT_THAT(best.name, HasSubstr("0..11 sorted as text when the classifier was trained"));
    EXPECT_THAT(best.first, ElementsAre("0", "1", "10"));
    std::uint64_t correct = 0;
    std::size_t only_given = 0, only_text = 0;
    for (std::size_t i = 0; i < 240; ++i) {
        const bool by_given = is_correct(made, i, given()),
                   by_text = is_correct(made, i, as_text());
        correct += by_text ? 1U : 0U;
        only_given += by_given && !by_text ? 1U : 0U;
        only_text += by_text && !by_given ? 1U : 0U;
    }
    EXPECT_EQ(best.correct, correct);
    // Holm multiplies the smallest p by the number of orders tried, which excludes the given one.
    const double p = static_cast<double>(found.orders.size() - 1) * exact_p(only_given, only_text);
    ASSERT_TRUE(best.p.has_value());
    EXPECT_NEAR(std::log(*best.p), std::log(p), 1e-9);
}

TEST(ClassOrders, PredictedClassesAndBestScoresAreEnough) {
    const Scratch folder;
    const Made made = reordered(as_text());
    const ClassOrders full = orders_by_scores(save(folder, made, "full"));
    for (const StorageFormat storage : {StorageFormat::label, StorageFormat::top_k}) {
        const ClassOrders found = orders_by_scores(
            save(folder, made, storage == StorageFormat::label ? "label" : "top", storage));
        EXPECT_EQ(found.verdict, Verdict::other);
        ASSERT_EQ(found.orders.size(), full.orders.size());
        for (std::size_t i = 0; i < full.orders.size(); ++i) {
            EXPECT_EQ(found.orders[i].name, full.orders[i].name);
            EXPECT_EQ(found.orders[i].correct, full.orders[i].correct);
            EXPECT_EQ(found.orders[i].p, full.orders[i].p);
        }
    }
}

TEST(ClassOrders, AnUnknownOrderIsNotChance) {
    const Scratch folder;
    const ClassOrders other =
        orders_by_scores(save(folder, reordered({5, 3, 8, 0, 11, 2, 9, 1, 4, 10, 7, 6}), "other"));
    EXPECT_EQ(other.verdict, Verdict::none) << other.text;
    const ClassOrders chance = orders_by_scores(save(folder, reordered(given(), 240, 0), "chance"));
    EXPECT_EQ(chance.verdict, Verdict::unclear) << chance.text;
    EXPECT_THAT(chance.text, HasSubstr("no better than chance"));
    EXPECT_EQ(chance.images, 240U);
}

TEST(ClassOrders, NoConclusionHasItsReason) {
    const Scratch folder;
    Made made = reordered(given(), 24);
    for (std::size_t i = 9; i < 24; ++i) made.labels[i].clear();
    const ClassOrders few = orders_by_scores(save(folder, made, "few"));
    EXPECT_EQ(few.verdict, Verdict::unclear);
    EXPECT_THAT(few.text, HasSubstr("9 (at least 10)"));
    EXPECT_EQ(few.images, 0U);
    EXPECT_EQ(few.chance_p, std::nullopt);
    made.dataset = "unlabelled";
    for (auto& labels : made.labels) labels.clear();
    EXPECT_THAT(orders_by_scores(save(folder, made, "none")).text, HasSubstr("no labels"));
}

TEST(ClassOrders, ManyImagesAreDrawnAndThoseWithoutScoresAreNot) {
    const Scratch folder;
    Made made = reordered(given(), 300);
    made.states.assign(300, RowState::ok);
    for (std::size_t i = 0; i < 300; i += 3) made.states[i] = RowState::unreadable;
    const PredictionStore store = save(folder, made, "m");
    EXPECT_EQ(orders_by_scores(store).images, 200U);
    const ClassOrders drawn = orders_by_scores(store, 90);
    EXPECT_EQ(drawn.images, 90U);
    EXPECT_EQ(drawn.verdict, Verdict::given);
}

TEST(ClassOrders, AnUnfinishedStoreHasEnoughImages) {
    const Scratch folder;
    const Made made = reordered(given(), 300);
    // The first 200 rows are stored.
    const PredictionStore store = save(folder, made, "m", StorageFormat::full_f32, 100, true);
    EXPECT_EQ(orders_by_scores(store).images, 200U);
    EXPECT_EQ(orders_by_scores(store, 190).images, 190U);
}

TEST(ClassOrders, ManyClassesLeaveFewerImages) {
    const Scratch folder;
    const PredictionStore store = save(folder, reordered(given()), "m");
    EXPECT_EQ(orders_by_scores(store, 1000, 12 * 20 + 11).images, 20U);
    const ClassOrders few = orders_by_scores(store, 1000, 12 * 10 - 1);
    EXPECT_EQ(few.verdict, Verdict::unclear);
    EXPECT_EQ(few.text, "too many classes to compare their orders: 12 (at most 11)");
    EXPECT_EQ(few.images, 0U);
}

/// The score 5 for one output of each image, and 0 for the others.
void add_image(Made& made, std::vector<std::int32_t> labels, std::size_t output) {
    std::ranges::sort(labels);
    made.labels.push_back(std::move(labels));
    for (std::size_t j = 0; j < 12; ++j) made.scores.push_back(j == output ? 5.0F : 0.0F);
}

Made twelve_classes() {
    Made made;
    made.classes = 12;
    made.class_ids = numbers(12);
    return made;
}

TEST(ClassOrders, ImpossibleClassesDoNotHideThatTheOrderFits) {
    const Scratch folder;
    Made made = twelve_classes();
    for (std::size_t i = 0; i < 120; ++i) {
        const std::size_t label = i % 12;
        add_image(made, {static_cast<std::int32_t>(label)}, label);
        made.scores[i * 12 + (label + 1) % 12] = -INFINITY;
    }
    const ClassOrders found = orders_by_scores(save(folder, made, "m"));
    EXPECT_EQ(found.verdict, Verdict::given) << found.text;
    EXPECT_EQ(found.orders.front().correct, 120U);
    EXPECT_EQ(found.chance_p, 0.001);
}

TEST(ClassOrders, TheBetterOrderComesBeforeOneWithMoreCorrectImages) {
    const Scratch folder;
    Made made = twelve_classes();
    // Reversed, 90 are correct, against 60 as given (p = 0.02). Sorted as text, 60 and 28 are.
    for (int i = 0; i < 60; ++i) add_image(made, {0}, 0);
    for (int i = 0; i < 90; ++i) {
        constexpr std::array<std::int32_t, 3> labels = {3, 9, 10};
        const std::int32_t label = labels.at(static_cast<std::size_t>(i % 3));
        add_image(made, {label}, static_cast<std::size_t>(11 - label));
    }
    for (int i = 0; i < 28; ++i) add_image(made, {6}, 8);
    const ClassOrders found = orders_by_scores(save(folder, made, "m"));
    EXPECT_EQ(found.verdict, Verdict::other) << found.text;
    EXPECT_EQ(found.orders.at(0).correct, 60U);
    EXPECT_THAT(found.orders.at(1).name, HasSubstr("0..11 sorted as text when"));
    EXPECT_EQ(found.orders.at(1).correct, 88U);
    EXPECT_EQ(found.orders.at(2).name, "reversed");
    EXPECT_EQ(found.orders.at(2).correct, 90U);
    EXPECT_THAT(found.advice, HasSubstr("again with `--classes FILE`: ids in the order of"));
}

TEST(ClassOrders, ImagesWithSeveralLabelsDoNotConfirmAnOrder) {
    const Scratch folder;
    const std::vector<std::size_t> unknown = {5, 3, 8, 0, 11, 2, 9, 1, 4, 10, 7, 6};
    Made made = twelve_classes();
    for (std::size_t i = 0; i < 120; ++i) {
        const auto label = static_cast<std::int32_t>(i % 12);
        add_image(made, {label, (label + 1) % 12}, 11 - i % 12);
    }
    const ClassOrders several = orders_by_scores(save(folder, made, "several"));
    EXPECT_EQ(several.verdict, Verdict::unclear) << several.text;
    EXPECT_THAT(several.text, HasSubstr("(reversed), but too few images have one label: 0 (at"));
    EXPECT_EQ(several.images, 120U);
    // The images with one label have another, unknown order.
    for (std::size_t j = 0; j < 120; ++j)
        add_image(made, {static_cast<std::int32_t>(unknown[j % 12])}, j % 12);
    const ClassOrders both =
        orders_by_scores(save(folder, made, "both", StorageFormat::full_f32, 100, false, "others"));
    EXPECT_EQ(both.verdict, Verdict::none) << both.text;
}

Dataset named(std::vector<std::string> ids, std::vector<std::string> names = {}) {
    Dataset dataset;
    dataset.classes =
        names.empty() ? ClassList(std::move(ids)) : ClassList(std::move(ids), std::move(names));
    return dataset;
}

TEST(ClassOrders, NamesSuggestOrders) {
    const auto names_of = [](const Dataset& dataset) {
        std::vector<std::string> out;
        const std::optional<ClassOrders> found = orders_by_names(dataset);
        if (!found) return out;
        for (const ClassOrder& order : found->orders) {
            EXPECT_EQ(order.correct, std::nullopt);
            out.push_back(fmt::format("{}", fmt::join(order.first, " ")));
        }
        return out;
    };
    EXPECT_THAT(names_of(named({"ant", "bee", "cat"})), ElementsAre("ant bee cat"));
    EXPECT_THAT(names_of(named({"bee", "ant", "cat"})), ElementsAre("bee ant cat", "ant bee cat"));
    EXPECT_THAT(names_of(named(numbers(12))), ElementsAre("0 1 2", "0 1 10"));
    // Folders, sorted as text, whose numbers have gaps.
    EXPECT_THAT(names_of(named({"10", "2", "7"})), ElementsAre("10 2 7", "2 7 10"));
    // WordNet ids have the order of ImageNet. The names' order says nothing.
    EXPECT_THAT(names_of(named({"n01440764", "n01443537"}, {"tench", "goldfish"})),
                ElementsAre("n01440764 n01443537"));
    EXPECT_THAT(names_of(named({})), ElementsAre());
    // Labels that are numbers, without names.
    Dataset unnamed;
    for (const std::int32_t label : {11, 0}) unnamed.labels.append({&label, 1});
    EXPECT_THAT(names_of(unnamed), ElementsAre("0 1 2", "0 1 10"));
}

}  // namespace
}  // namespace assay
