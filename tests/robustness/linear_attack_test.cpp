// Compares attacks with the closed forms for linear classifiers.
#include <gtest/gtest.h>

#include "robustness/linear_model.h"

namespace assay {
namespace {

AttackResult attacked(std::string_view name, AttackedModel& model, const Labelled& data,
                      const AttackOptions& options) {
    return run_attack(attack_named(name), model, data.batch(), options);
}

/// Whether an image is so close to the boundary that rounding decides.
bool undecided(double lead) {
    return std::abs(lead) < 1e-5;
}

TEST(AttackOnTwoLinearClasses, FgsmAndPgdReachTheClosedForm) {
    LinearModel model(2, 1);
    const Labelled data(model, 200);
    for (const double eps : {1. / 255, 4. / 255, 12. / 255}) {
        AttackOptions options;
        options.eps = eps;
        std::size_t robust = 0;
        for (const char* name : {"fgsm", "pgd", "apgd-ce", "apgd-dlr", "apgd-t", "fab-t"}) {
            const AttackResult result = attacked(name, model, data, options);
            robust = 0;
            for (std::size_t i = 0; i < data.labels.size(); ++i) {
                const double lead = model.least_lead(data.image(i), data.labels[i], eps);
                if (undecided(lead)) continue;
                EXPECT_EQ(result.fooled[i] != 0, lead < 0)
                    << name << " " << eps << " " << i << " " << lead;
                robust += lead > 0 ? 1 : 0;
            }
        }
        EXPECT_GT(robust, 0U) << eps;
        EXPECT_LT(robust, data.labels.size()) << eps;
    }
}

// k steps of size s from the image itself change each number by min(k s, eps) within the box.
TEST(AttackOnTwoLinearClasses, PgdGoesAsFarAsItsStepsReach) {
    LinearModel model(2, 1);
    const Labelled data(model, 200);
    AttackOptions options;
    options.eps = 8. / 255;
    options.random_start = false;
    options.step_size = options.eps / 30;
    std::vector<std::size_t> fooled;
    for (const int steps : {3, 10, 20, 30, 60}) {
        options.steps = steps;
        const AttackResult result = attacked("pgd", model, data, options);
        const double reached = std::min(steps * options.step_size, options.eps);
        for (std::size_t i = 0; i < data.labels.size(); ++i) {
            const double lead = model.least_lead(data.image(i), data.labels[i], reached);
            if (undecided(lead)) continue;
            EXPECT_EQ(result.fooled[i] != 0, lead < 0) << steps << " " << i << " " << lead;
        }
        fooled.push_back(fooled_by(result));
    }
    EXPECT_LT(fooled[0], fooled[1]);
    EXPECT_LT(fooled[1], fooled[2]);
    EXPECT_LT(fooled[2], fooled[3]);
    EXPECT_EQ(fooled[3], fooled[4]);
}

TEST(AttackOnLinearClasses, TheTargetedAttacksReachTheClosedForm) {
    LinearModel model(10, 2);
    const Labelled data(model, 40);
    for (const double eps : {2. / 255, 8. / 255}) {
        AttackOptions options;
        options.eps = eps;
        std::size_t robust = 0;
        std::vector<std::uint8_t> exact;
        for (std::size_t i = 0; i < data.labels.size(); ++i) {
            exact.push_back(model.least_lead(data.image(i), data.labels[i], eps) > 0 ? 0 : 1);
            robust += exact.back() == 0 ? 1 : 0;
        }
        for (const char* name : {"apgd-t", "fab-t"}) {
            const AttackResult result = attacked(name, model, data, options);
            std::size_t missed = 0;
            for (std::size_t i = 0; i < data.labels.size(); ++i) {
                if (undecided(model.least_lead(data.image(i), data.labels[i], eps))) continue;
                EXPECT_LE(result.fooled[i], exact[i]) << "fooled beyond what is possible";
                missed += exact[i] != result.fooled[i] ? 1 : 0;
            }
            EXPECT_EQ(missed, 0U) << name << " " << eps;
        }
        // Losses without a target sometimes end at a class that is not the nearest.
        const std::size_t left_by_exact = robust;
        options.steps = 100;
        for (const char* name : {"fgsm", "pgd", "apgd-ce", "apgd-dlr", "square", "noise"}) {
            const AttackResult result = attacked(name, model, data, options);
            EXPECT_GE(data.labels.size() - fooled_by(result), left_by_exact) << name << " " << eps;
        }
        const auto all = run_ensemble(autoattack_parts(), model, data.batch(), options);
        EXPECT_EQ(data.labels.size() - fooled_by(all.result), left_by_exact) << eps;
    }
}

TEST(AttackOnLinearClasses, EuclideanPgdReachesTheClosedFormAwayFromTheBox) {
    LinearModel model(2, 5);
    const Labelled data(model, 200, .4F, .6F);
    AttackOptions options;
    options.norm = Norm::l2;
    options.eps = .06;
    options.steps = 40;
    double length = 0;
    for (std::size_t i = 0; i < model.size.size(); ++i)
        length += std::pow(model.w[0][i] - model.w[1][i], 2);
    length = std::sqrt(length);
    for (const char* name : {"pgd", "apgd-ce"}) {
        const AttackResult result = attacked(name, model, data, options);
        std::size_t fooled = 0;
        for (std::size_t i = 0; i < data.labels.size(); ++i) {
            const auto z = model.exact(data.image(i));
            const double lead = std::abs(z[0] - z[1]) - options.eps * length;
            // The last step of a gradient with fixed length ends on the sphere, up to rounding.
            if (std::abs(lead) < 1e-4) continue;
            EXPECT_EQ(result.fooled[i] != 0, lead < 0) << name << " " << i << " " << lead;
            fooled += lead < 0 ? 1 : 0;
        }
        EXPECT_GT(fooled, 20U);
        EXPECT_LT(fooled, 180U);
    }
}

TEST(FabOnLinearClasses, TheSmallestChangeIsTheMarginOverTheSlope) {
    LinearModel model(6, 3);
    const Labelled data(model, 60, .4F, .6F);
    AttackOptions options;
    options.smallest = true;
    options.eps = 1;
    const AttackResult result = attacked("fab-t", model, data, options);
    for (std::size_t i = 0; i < data.labels.size(); ++i) {
        const auto z = model.exact(data.image(i));
        const std::uint32_t y = data.labels[i];
        double least = 1;
        for (std::uint32_t j = 0; j < model.classes(); ++j) {
            double slope = 0;
            for (std::size_t k = 0; k < model.size.size(); ++k)
                slope += std::abs(model.w[y][k] - model.w[j][k]);
            if (j != y) least = std::min(least, (z[y] - z[j]) / slope);
        }
        double far = 0;
        for (std::size_t k = 0; k < model.size.size(); ++k) {
            far = std::max(far, std::abs(static_cast<double>(
                                    result.images[i * model.size.size() + k] - data.image(i)[k])));
        }
        ASSERT_EQ(result.fooled[i], 1) << i;
        EXPECT_GE(far, least - 1e-6) << i;
        // If a change is r times the smallest one, .9 r of it is kept. Its projection goes 5 % too
        // far, and is averaged with that of the original, which has at most a tenth of the weight.
        // So 1.05 - .045 r (1 - 1 / 11) = r.
        EXPECT_LE(far, least * 1.05 / (1 + .045 * 10 / 11) + 1e-6) << i;
    }
}

}  // namespace
}  // namespace assay
