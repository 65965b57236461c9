// Compares the smallest changes that fmn and ddn find with the closed forms for linear classifiers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "assay/error.h"
#include "robustness/change.h"
#include "robustness/linear_model.h"

namespace assay {
namespace {

AttackResult smallest(std::string_view name, AttackedModel& model, const Labelled& data, Norm norm,
                      int steps = 0) {
    AttackOptions options;
    options.norm = norm;
    options.steps = steps;
    options.smallest = true;
    return run_attack(attack_named(name), model, data.batch(), options);
}

/// The exact smallest change of an image of a model with two classes, for the norms that change one
/// element after another: the elements that help most come first.
double greedy(const LinearModel& model, std::span<const float> x, std::uint32_t y, Norm norm) {
    const auto z = model.exact(x);
    double lead = z[y] - z[1 - y];
    struct Element {
        double slope, room;
    };
    std::vector<Element> elements;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = model.w[y][i] - model.w[1 - y][i];
        const auto v = static_cast<double>(x[i]);
        elements.push_back({std::abs(d), d > 0 ? v : 1 - v});
    }
    std::ranges::sort(elements, [&](const Element& a, const Element& b) {
        return norm == Norm::l1 ? a.slope > b.slope : a.slope * a.room > b.slope * b.room;
    });
    double size = 0;
    for (const Element& e : elements) {
        if (e.slope * e.room >= lead) return size + (norm == Norm::l1 ? lead / e.slope : 1);
        lead -= e.slope * e.room;
        size += norm == Norm::l1 ? e.room : 1;
    }
    return std::numeric_limits<double>::infinity();
}

/// The exact smallest change by bisection over the budget, within the box.
double largest_element(const LinearModel& model, std::span<const float> x, std::uint32_t y) {
    double low = 0, high = 1;
    for (int k = 0; k < 50; ++k) {
        const double middle = (low + high) / 2;
        (model.least_lead(x, y, middle) > 0 ? low : high) = middle;
    }
    return high;
}

double euclidean(const LinearModel& model, std::span<const float> x, std::uint32_t y) {
    const auto z = model.exact(x);
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t j = 0; j < model.classes(); ++j) {
        if (j == y) continue;
        double squares = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            squares += std::pow(model.w[y][i] - model.w[j][i], 2);
        least = std::min(least, (z[y] - z[j]) / std::sqrt(squares));
    }
    return least;
}

/// Found over exact radius, by image. All images must be fooled, by no less than is possible.
std::vector<double> ratios(const AttackResult& result, const Labelled& data, Norm norm,
                           const std::function<double(std::size_t)>& exact) {
    std::vector<double> all;
    for (std::size_t i = 0; i < data.labels.size(); ++i) {
        EXPECT_EQ(result.fooled[i], 1) << i;
        const auto image = std::span(result.images).subspan(i * 48, 48);
        EXPECT_GE(*std::ranges::min_element(image), 0);
        EXPECT_LE(*std::ranges::max_element(image), 1);
        all.push_back(attack::size_of_change(norm, data.image(i), image) / exact(i));
        EXPECT_GE(all.back(), 1 - 1e-4) << i;
    }
    std::ranges::sort(all);
    return all;
}

TEST(MinimumNormOnLinearClasses, TheLargestElementIsThatOfTheClosedForm) {
    LinearModel model(6, 3);
    const Labelled data(model, 60);
    const auto all = ratios(
        smallest("fmn", model, data, Norm::linf), data, Norm::linf,
        [&](std::size_t i) { return largest_element(model, data.image(i), data.labels[i]); });
    EXPECT_LE(all[30], 1.005);
    // The margin leads some images to a class that is not the nearest.
    EXPECT_LE(all.back(), 1.2);
}

TEST(MinimumNormOnLinearClasses, TheLengthIsThatOfTheClosedFormAwayFromTheBox) {
    for (const char* name : {"fmn", "ddn"}) {
        SCOPED_TRACE(name);
        // The first steps of ddn have a length of 1 and may lead to a class that is not the
        // nearest.
        LinearModel model(name == std::string("fmn") ? 6 : 2, 3);
        const Labelled data(model, 60, .4F, .6F);
        const auto all =
            ratios(smallest(name, model, data, Norm::l2), data, Norm::l2,
                   [&](std::size_t i) { return euclidean(model, data.image(i), data.labels[i]); });
        EXPECT_LE(all[30], 1.005);
        EXPECT_LE(all.back(), 1.1);
    }
}

TEST(MinimumNormOnLinearClasses, FewElementsChangeInTheOrderOfTheirUse) {
    LinearModel model(2, 8);
    const Labelled data(model, 60);
    for (const Norm norm : {Norm::l1, Norm::l0}) {
        SCOPED_TRACE(std::string(name_of(norm)));
        const auto all = ratios(smallest("fmn", model, data, norm), data, norm, [&](std::size_t i) {
            return greedy(model, data.image(i), data.labels[i], norm);
        });
        EXPECT_LE(all[30], norm == Norm::l1 ? 1.02 : 1.0);
        EXPECT_LE(std::accumulate(all.begin(), all.end(), 0.0) / 60,
                  norm == Norm::l1 ? 1.05 : 1.15);
    }
}

TEST(MinimumNorm, ABudgetKeepsOnlyTheChangesWithinIt) {
    LinearModel model(4, 5);
    const Labelled data(model, 60);
    const AttackResult all = smallest("fmn", model, data, Norm::linf);
    AttackOptions options;
    options.eps = 6. / 255;
    const AttackResult some = run_attack(attack_named("fmn"), model, data.batch(), options);
    std::size_t within = 0;
    for (std::size_t i = 0; i < 60; ++i) {
        const auto found = std::span(all.images).subspan(i * 48, 48);
        const bool inside = attack::size_of_change(Norm::linf, data.image(i), found) <= options.eps;
        EXPECT_EQ(some.fooled[i], inside ? 1 : 0) << i;
        within += inside ? 1 : 0;
        const auto kept = std::span(some.images).subspan(i * 48, 48);
        EXPECT_TRUE(std::ranges::equal(kept, inside ? found : data.image(i))) << i;
    }
    EXPECT_GT(within, 5U);
    EXPECT_LT(within, 55U);
    EXPECT_EQ(some.backward, all.backward);
    EXPECT_EQ(all.backward, 60U * 100);
}

/// Its scores do not change, and so do not its gradients.
class ConstantModel : public LinearModel {
public:
    ConstantModel() : LinearModel(2, 1, 0) { b = {1, 0}; }
};

TEST(MinimumNorm, WithoutAGradientTheImageIsLeft) {
    ConstantModel model;
    const Labelled data(model, 5);
    for (const Norm norm : {Norm::linf, Norm::l2, Norm::l1, Norm::l0}) {
        const AttackResult result = smallest("fmn", model, data, norm);
        EXPECT_EQ(fooled_by(result), 0U);
        EXPECT_EQ(ones(result.zero_gradient), 5U);
        EXPECT_EQ(result.images, data.images);
        EXPECT_EQ(result.backward, 5U);
    }
}

/// Its gradients are far too small, so that the first steps are far too long. Far from gray it has
/// no gradient and its two scores are swapped, as a network that is saturated there may classify.
class SaturatedModel : public LinearModel {
public:
    SaturatedModel() : LinearModel(2, 3) {}
    void scores(std::span<const float> images, std::size_t n, std::span<float> out) override {
        LinearModel::scores(images, n, out);
        for (std::size_t i = 0; i < n; ++i) {
            if (is_far(images.subspan(i * size.size(), size.size())))
                std::swap(out[2 * i], out[2 * i + 1]);
        }
    }
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        LinearModel::gradients(batch, out);
        for (std::size_t i = 0; i < batch.labels.size(); ++i) {
            const std::size_t first = i * size.size();
            const float kept = is_far(batch.input.subspan(first, size.size())) ? 0 : .01F;
            for (float& v : out.gradient.subspan(first, size.size())) v *= kept;
        }
    }

private:
    static bool is_far(std::span<const float> image) {
        double sum = 0;
        for (const float v : image) sum += std::abs(static_cast<double>(v) - .5);
        return sum > .35 * static_cast<double>(image.size());
    }
};

TEST(MinimumNorm, ASearchLeavesARegionWithoutGradients) {
    SaturatedModel model;
    const Labelled data(model, 30, .4F, .6F);
    const auto all = ratios(
        smallest("fmn", model, data, Norm::linf), data, Norm::linf,
        [&](std::size_t i) { return largest_element(model, data.image(i), data.labels[i]); });
    EXPECT_LE(all[15], 1.01);
}

TEST(MinimumNorm, NormsThatAnAttackLacksAreNamed) {
    LinearModel model(2, 1);
    const Labelled data(model, 1);
    const auto said = [&](const char* name, Norm norm) {
        try {
            smallest(name, model, data, norm);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(said("ddn", Norm::linf), testing::HasSubstr("ddn is defined for the norm l2 only"));
    EXPECT_THAT(said("pgd", Norm::l0),
                testing::HasSubstr("pgd is defined for the norms linf and l2 only"));
    EXPECT_THAT(said("square", Norm::l2),
                testing::HasSubstr("square is defined for the norm linf only"));
}

TEST(SizeOfChange, TheNearestChangeOfASize) {
    const std::vector<float> original = {.5F, .5F, .5F, .5F}, far = {.9F, .2F, .5F, .6F};
    EXPECT_NEAR(attack::size_of_change(Norm::linf, original, far), .4, 1e-6);
    EXPECT_NEAR(attack::size_of_change(Norm::l2, original, far), std::sqrt(.26), 1e-6);
    EXPECT_NEAR(attack::size_of_change(Norm::l1, original, far), .8, 1e-6);
    EXPECT_EQ(attack::size_of_change(Norm::l0, original, far), 3);
    const auto limited = [&](Norm norm, double size) {
        std::vector<float> x = far;
        attack::limit_change(norm, original, x, size);
        return x;
    };
    const auto are = [](std::vector<float> wanted) {
        std::vector<testing::Matcher<float>> all;
        for (const float v : wanted) all.push_back(testing::FloatNear(v, 1e-6F));
        return testing::ElementsAreArray(all);
    };
    EXPECT_THAT(limited(Norm::linf, .25), are({.75F, .25F, .5F, .6F}));
    // .4 - .15 + .3 - .15 = .4: the element that moved by .1 is below the threshold of .15.
    EXPECT_THAT(limited(Norm::l1, .4), are({.75F, .35F, .5F, .5F}));
    EXPECT_THAT(limited(Norm::l1, .8), are(far));
    EXPECT_THAT(limited(Norm::l0, 1.9), are({.9F, .5F, .5F, .5F}));
    EXPECT_THAT(limited(Norm::l0, 0), are(original));
    EXPECT_THAT(limited(Norm::l1, 0), are(original));
    EXPECT_THAT(limited(Norm::l0, 1e30), are(far));
    EXPECT_THAT(limited(Norm::l0, std::numeric_limits<double>::infinity()), are(far));
    const std::vector<float> gradient = {3, -4, 0, 0};
    EXPECT_EQ(attack::dual_size(Norm::linf, gradient), 7);
    EXPECT_EQ(attack::dual_size(Norm::l2, gradient), 5);
    EXPECT_EQ(attack::dual_size(Norm::l1, gradient), 4);
    EXPECT_EQ(attack::dual_size(Norm::l0, gradient), 4);
}

}  // namespace
}  // namespace assay
