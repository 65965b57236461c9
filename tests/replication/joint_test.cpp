// Number of labels and selection frequency in one decomposition.
#include "assay/replication/joint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/replication/simulation.h"
#include "replication/joint/drop_gradients.h"
#include "replication/penalised/logit_grid.h"

namespace assay::replication {
namespace {

using testing::HasSubstr;

/// Sets of 900 images. Two labels have 2/5 of the images of the first, and 3/5 of the second.
Study labelled_study() {
    SimulationOptions options;
    options.classes = 30;
    options.images_per_class = 30;
    options.annotators = 10;
    options.classifiers = 3;
    Study study = study_of(simulate(options));
    for (std::size_t i = 0; i < study.first.size(); ++i)
        study.first.labels.push_back(i % 5 < 2 ? 2 : 1);
    for (std::size_t i = 0; i < study.second.size(); ++i)
        study.second.labels.push_back(i % 5 < 3 ? 2 : 1);
    return study;
}

AdjustOptions pl_alone(int threads = 1) {
    AdjustOptions options;
    options.moments = options.naive = false;
    options.jackknife.clear();
    options.threads = threads;
    return options;
}

TEST(Joint, PartsAddUpInBothReadings) {
    const JointReport report = joint_decomposition(labelled_study(), pl_alone(), 3);
    ASSERT_EQ(report.undefined, "");
    ASSERT_EQ(report.strata.size(), 2U);
    EXPECT_EQ(report.strata[0].labels, "1");
    EXPECT_EQ(report.strata[0].first_images, 540U);
    EXPECT_EQ(report.strata[1].second_images, 540U);
    for (const DropParts& p : report.classifiers) {
        EXPECT_NEAR(*p.total.value, *p.remainder.value + *p.labels.value + *p.selection.value,
                    1e-14);
        EXPECT_NEAR(*p.labels.value + *p.selection.value,
                    *p.labels_given_rates.value + *p.selection_of_rates.value, 1e-14);
        EXPECT_NEAR(*p.labels.value, (*p.labels_first.value + *p.labels_last.value) / 2, 1e-14);
        EXPECT_GT(half_width(p.labels_given_rates), 0);
    }
    EXPECT_THAT(drop_sentence(report), HasSubstr("from labels per image"));
}

TEST(Joint, OneStratumIsAdjust) {
    Study study = labelled_study();
    study.first.labels.assign(study.first.size(), 1);
    study.second.labels.assign(study.second.size(), 1);
    const JointReport joint = joint_decomposition(study, pl_alone(), 3);
    const AdjustReport adjusted = adjust(study, pl_alone());
    const MethodResult& pl = adjusted.methods.front();
    const auto same = [](const Estimate& a, const Estimate& b) {
        EXPECT_NEAR(*a.value, *b.value, 1e-14);
        EXPECT_NEAR(*a.standard_error, *b.standard_error, 1e-14);
    };
    for (std::size_t m = 0; m < pl.gaps.size(); ++m) {
        EXPECT_EQ(*joint.classifiers[m].labels.value, 0);
        same(joint.classifiers[m].remainder, pl.gaps[m].remaining);
        same(joint.classifiers[m].selection, pl.gaps[m].bias);
    }
    same(joint.mean.remainder, pl.mean_gap.remaining);
    same(joint.mean.selection, pl.mean_gap.bias);
}

TEST(Joint, ThreadsDoNotMatter) {
    const Study study = labelled_study();
    const JointReport one = joint_decomposition(study, pl_alone(1), 3),
                      four = joint_decomposition(study, pl_alone(4), 3);
    for (const auto part : drop_members) {
        EXPECT_EQ((one.mean.*part).value, (four.mean.*part).value);
        EXPECT_EQ((one.mean.*part).standard_error, (four.mean.*part).standard_error);
    }
}

TEST(Joint, ThinStrataAreRefusedWithAPoolingThatHelps) {
    Study study = labelled_study();
    for (std::size_t i = 0; i < 50; ++i) study.second.labels[i] = 3;
    const JointReport thin = joint_decomposition(study, pl_alone(), 3);
    EXPECT_THAT(thin.undefined, HasSubstr("the original has 0 images with 3 valid labels"));
    EXPECT_THAT(thin.undefined, HasSubstr("`--pool-above 1` joins them"));
    const JointReport pooled = joint_decomposition(study, pl_alone(), 1);
    ASSERT_EQ(pooled.strata.size(), 2U);
    EXPECT_EQ(pooled.strata[1].labels, "2 and more");
}

TEST(Joint, AStratumWithoutDifferencesIsNamed) {
    Study study = labelled_study();
    for (std::size_t i = 0; i < study.second.size(); ++i) {
        if (study.second.labels[i] == 2) study.second.selected[i] = study.second.annotators[i];
    }
    EXPECT_THAT(joint_decomposition(study, pl_alone(), 3).undefined,
                HasSubstr("the 540 images with 2 valid labels of the replication were all selected "
                          "by all of their annotators"));
}

/// Compares every entry of the gradients with central differences.
TEST(Joint, GradientsAreThoseOfDifferences) {
    constexpr std::size_t strata = 2;
    std::vector<std::vector<double>> first(strata), second(strata), curve(strata);
    for (std::size_t t = 0; t < strata; ++t) {
        double sum1 = 0, sum2 = 0;
        for (std::size_t j = 0; j < penalised::points; ++j) {
            const double x = static_cast<double>(j) / penalised::points;
            first[t].push_back(1 + x * static_cast<double>(t + 1));
            second[t].push_back(2 - x * static_cast<double>(t));
            curve[t].push_back(.3 + .5 * x - .1 * static_cast<double>(t));
            sum1 += first[t][j];
            sum2 += second[t][j];
        }
        for (double& p : first[t]) p /= sum1;
        for (double& p : second[t]) p /= sum2;
    }
    DropInputs inputs{.7, {.8, .2}, {.5, .5}, {.65, .55}, {}, {}, {}};
    for (std::size_t t = 0; t < strata; ++t) {
        inputs.first_mass.push_back(&first[t]);
        inputs.second_mass.push_back(&second[t]);
        inputs.curve.push_back(&curve[t]);
    }
    const std::vector<DropValue> at = drop_values(inputs);
    const auto expect_slopes = [&](double& entry, const auto& of_gradient) {
        constexpr double step = 1e-5;
        const double kept = entry;
        entry = kept + step;
        const std::vector<DropValue> up = drop_values(inputs);
        entry = kept - step;
        const std::vector<DropValue> down = drop_values(inputs);
        entry = kept;
        for (std::size_t p = 0; p < drop_parts; ++p)
            EXPECT_NEAR(of_gradient(at[p].gradient), (up[p].value - down[p].value) / (2 * step),
                        1e-7)
                << p;
    };
    using G = DropGradient;
    expect_slopes(inputs.first_accuracy, [](const G& g) { return g.first_accuracy; });
    for (std::size_t t = 0; t < strata; ++t) {
        expect_slopes(inputs.first_share[t], [&](const G& g) { return g.first_share[t]; });
        expect_slopes(inputs.second_share[t], [&](const G& g) { return g.second_share[t]; });
        expect_slopes(inputs.observed[t], [&](const G& g) { return g.observed[t]; });
        for (const std::size_t j : {0U, 60U, 179U}) {
            expect_slopes(first[t][j], [&](const G& g) { return g.grid[t].first[j]; });
            expect_slopes(second[t][j], [&](const G& g) { return g.grid[t].second[j]; });
            expect_slopes(curve[t][j], [&](const G& g) { return g.grid[t].curve[j]; });
        }
    }
}

TEST(Joint, ImagesWithoutLabelsAreSkippedOrAStratum) {
    Study study = labelled_study();
    for (std::size_t i = 0; i < 200; ++i) study.first.labels[i] = 0;
    study.second.labels[0] = StudySet::unlabelled;
    for (std::size_t i = 1; i < 41; ++i) study.second.labels[i] = 0;
    const JointReport few = joint_decomposition(study, pl_alone(), 3);
    EXPECT_EQ(few.strata.size(), 2U);
    EXPECT_THAT(few.warnings, testing::Contains(HasSubstr("200 images of the original")));
    EXPECT_THAT(few.warnings, testing::Contains(HasSubstr("1 of 900 images of the replication")));
    for (std::size_t i = 1; i < 201; ++i) study.second.labels[i] = 0;
    const JointReport many = joint_decomposition(study, pl_alone(), 3);
    ASSERT_EQ(many.strata.size(), 3U);
    EXPECT_EQ(many.strata[0].labels, "0");
}

}  // namespace
}  // namespace assay::replication
