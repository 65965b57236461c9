// Tests which labels the audit finds, and which inputs it refuses.
#include "assay/audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "assay/error.h"
#include "message_of.h"
#include "planted.h"

namespace assay::audit {
namespace {

using testing::Contains;
using testing::HasSubstr;
namespace fs = std::filesystem;

std::size_t row_of(const std::string& item) {
    return std::stoul(item.substr(4));
}

TEST(Audit, FindsThePlantedErrors) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    save(folder, planted(2, 6), "b");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_EQ(audit.images, images);
    ASSERT_GE(audit.listed.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) {
        const SuspectLabel& one = audit.listed[i];
        EXPECT_TRUE(is_planted(row_of(one.item))) << one.item;
        EXPECT_EQ(one.suggested, fmt::format("c{}", row_of(one.item) * classes / images));
        EXPECT_EQ(one.predict_suggested, 2U);
        EXPECT_EQ(one.voting, 2U);
        EXPECT_NEAR(one.score, std::log(one.given_probability / one.suggested_probability), 1e-9);
    }
    for (std::size_t i = 1; i < audit.listed.size(); ++i)
        EXPECT_LE(audit.listed[i - 1].score, audit.listed[i].score);
    EXPECT_FALSE(audit.wrong_labels.value);
    EXPECT_THAT(audit.wrong_labels.undefined, HasSubstr("hard image"));
}

// One model and two classes, computed by hand. Every image has the logits (0, 2), and all labels
// but one are 1. With many images whose label is likely, the temperature only scales, and the score
// is ln(q0 / q1) with q = .98 softmax + .01.
TEST(Audit, ScoreIsTheLogRatioWithAPartOfChance) {
    const Scratch folder;
    Made made;
    made.classes = 2;
    for (std::size_t i = 0; i < 60; ++i) {
        made.labels.push_back({i == 0 ? 0 : 1});
        made.scores.push_back(0);
        made.scores.push_back(2);
    }
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    ASSERT_EQ(audit.listed.size(), 1U);
    const double sharpness = 1 / audit.models[0].temperature;
    const double p = 1 / (1 + std::exp(2 * sharpness));
    EXPECT_NEAR(audit.listed[0].score, std::log((.98 * p + .01) / (.98 * (1 - p) + .01)), 1e-9);
    EXPECT_EQ(audit.models[0].weight, 1);
}

void add_images(Made& made, std::size_t number, const std::vector<float>& logits, int label) {
    for (std::size_t i = 0; i < number; ++i) {
        made.labels.push_back({label});
        made.scores.insert(made.scores.end(), logits.begin(), logits.end());
    }
}

/// The logits of the first two of ten classes, which are similar.
std::vector<float> first_two_of_ten(float first, float second) {
    std::vector<float> out(10, -9);
    out[0] = first;
    out[1] = second;
    return out;
}

// Ten classes. 60 of 200 labels are the second of two similar classes. All are likelier than
// chance, so none looks drawn from all classes, and the floor is .01.
TEST(Audit, FloorIsHighIfOnlySimilarClassesAreConfused) {
    const Scratch folder;
    Made made{.classes = 10, .scores = {}, .labels = {}};
    add_images(made, 140, first_two_of_ten(2, 1), 0);
    add_images(made, 60, first_two_of_ten(2, 1), 1);
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    ASSERT_EQ(audit.suspects, 60U);
    // The best temperature gives the classes 70 % and 30 %, or nearly, as some labels may be drawn.
    const double t = audit.models[0].temperature;
    EXPECT_NEAR(t, 1 / std::log(7. / 3), 0.05);
    const double sum = 1 + std::exp(-1 / t) + 8 * std::exp(-11 / t);
    const double p = std::exp(-1 / t) / sum, q = 1 / sum;
    EXPECT_NEAR(audit.listed[0].score, std::log((.98 * p + .01) / (.98 * q + .01)), 1e-9);
}

// Also, 30 of 200 clear images have another label, drawn from all classes: a third of all labels
// that are not predicted. So the floor is 2 % of chance.
TEST(Audit, FloorIsLowIfManyLabelsLookDrawn) {
    const Scratch folder;
    Made made{.classes = 4, .scores = {}, .labels = {}};
    add_images(made, 140, {2, 1, -9, -9}, 0);
    add_images(made, 60, {2, 1, -9, -9}, 1);
    add_images(made, 170, {12, 0, 0, 0}, 0);
    for (const int label : {1, 2, 3}) add_images(made, 10, {12, 0, 0, 0}, label);
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    ASSERT_EQ(audit.suspects, 90U);
    const double t = audit.models[0].temperature;
    const double sum = 1 + 3 * std::exp(-12 / t);
    const double p = std::exp(-12 / t) / sum, q = 1 / sum;
    EXPECT_NEAR(audit.listed[0].score, std::log((.98 * p + .005) / (.98 * q + .005)), 1e-9);
}

/// The logits of a clear image of class 0, with the other classes in the given steps.
std::vector<float> clear_of_ten(float step) {
    std::vector<float> out(10, 0);
    out[0] = 12;
    for (std::size_t c = 1; c < 10; ++c) out[c] = -step * static_cast<float>(c);
    return out;
}
/// 27 of 197 clear images have another label of the ten.
Made drawn_from_ten(float step) {
    Made made{.classes = 10, .scores = {}, .labels = {}};
    add_images(made, 140, first_two_of_ten(2, 1), 0);
    add_images(made, 60, first_two_of_ten(2, 1), 1);
    add_images(made, 170, clear_of_ten(step), 0);
    for (int label = 1; label < 10; ++label) add_images(made, 3, clear_of_ten(step), label);
    return made;
}

// Ten classes. 15 of 197 clear images have a label among the less likely half of the classes: 15 /
// 397 * 2 = .076 of all labels are drawn, and .22 are missed. So the probability of the label alone
// counts.
TEST(Audit, ProbabilityOfTheLabelCountsIfManyLabelsAreFar) {
    const Scratch folder;
    save(folder, drawn_from_ten(0.01F), "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    ASSERT_EQ(audit.suspects, 87U);
    const double t = audit.models[0].temperature;
    double sum = 1;
    for (int c = 1; c < 10; ++c) sum += std::exp((-12 - 0.01 * c) / t);
    const double p = std::exp((-12 - 0.09) / t) / sum, q = 1 / sum;
    EXPECT_NEAR(audit.listed[0].score, std::log((.98 * p + 1e-9) / (.98 * q + 3)), 1e-5);
}

// Rounded scores are equal for most classes. The labels of hard images are then among the lowest
// scores as often as drawn ones, so they alone do not set the floors. Many labels look drawn by
// their probabilities, so both floors are 1e-5.
TEST(Audit, TiedClassesAreNotFar) {
    const Scratch folder;
    save(folder, drawn_from_ten(0), "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    const double t = audit.models[0].temperature;
    const double sum = 1 + 9 * std::exp(-12 / t);
    const double p = std::exp(-12 / t) / sum, q = 1 / sum;
    EXPECT_NEAR(audit.listed[0].score, std::log((.98 * p + 1e-5) / (.98 * q + 1e-5)), 1e-9);
}

TEST(Audit, AModelThatLearnedTheLabelsDoesNotVote) {
    const Scratch folder;
    save(folder, planted(1, 7), "a");
    save(folder, planted(2, 6), "b");
    Made learned = planted(3, 4);
    for (std::size_t i = 0; i < images; ++i)
        learned.scores[i * classes + static_cast<std::size_t>(learned.labels[i][0])] += 20;
    save(folder, learned, "learned");
    const LabelAudit audit = audit_labels(options_of(folder));
    ASSERT_EQ(audit.models.size(), 3U);
    EXPECT_EQ(audit.models[2].weight, 0);
    EXPECT_GE(audit.models[2].opposed, 8U);
    EXPECT_EQ(audit.models[2].repeated, audit.models[2].opposed);
    EXPECT_NEAR(audit.models[0].weight + audit.models[1].weight, 1, 1e-12);
    ASSERT_FALSE(audit.warnings.empty());
    EXPECT_THAT(audit.warnings[0], HasSubstr("learned does not vote"));
    for (std::size_t i = 0; i < 10; ++i) EXPECT_TRUE(is_planted(row_of(audit.listed[i].item)));
}

// The second model is often unsure, but it errs together with the first one at most as often as
// the first one errs.
TEST(Audit, AnUnsureModelHidesNoOneThatLearnedTheLabels) {
    const Scratch folder;
    constexpr std::size_t rows = 800;
    const auto wrong = [](Made made) {
        for (std::size_t i = 0; i < rows; ++i)
            if (is_planted(i)) made.labels[i][0] = wrong_class(made.labels[i][0]);
        return made;
    };
    save(folder, wrong(made_up(rows, classes, 1, 7)), "a");
    save(folder, wrong(made_up(rows, classes, 2, 3)), "b");
    Made learned = wrong(made_up(rows, classes, 3, 4));
    for (std::size_t i = 0; i < rows; ++i)
        learned.scores[i * classes + static_cast<std::size_t>(learned.labels[i][0])] += 20;
    save(folder, learned, "learned");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_GT(audit.models[0].weight, 0);
    EXPECT_GT(audit.models[1].weight, 0);
    EXPECT_EQ(audit.models[2].weight, 0);
    EXPECT_LT(audit.models[2].expected, 3);  // the unsure model alone would find more than 4
}

TEST(Audit, ThreadsChangeNothing) {
    const Scratch folder;
    save(folder, planted(1, 3), "a");
    save(folder, planted(2, 2), "b");
    AuditOptions options = options_of(folder);
    options.threads = 1;
    const auto one = audit_labels(options);
    options.threads = 3;
    const auto three = audit_labels(options);
    ASSERT_EQ(one.listed.size(), three.listed.size());
    for (std::size_t i = 0; i < one.listed.size(); ++i) {
        EXPECT_EQ(one.listed[i].item, three.listed[i].item);
        EXPECT_EQ(one.listed[i].score, three.listed[i].score);
    }
    EXPECT_EQ(one.models[0].temperature, three.models[0].temperature);
}

TEST(Audit, ImagesWithoutLabelsOrScoresAreCounted) {
    const Scratch folder;
    Made made = planted(1, 7);
    made.labels[0].clear();
    made.labels[1] = {0, 1};
    made.states.assign(images, RowState::ok);
    made.states[2] = RowState::not_finite;
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_EQ(audit.unlabelled, 2U);
    EXPECT_EQ(audit.left_out, 1U);
    EXPECT_EQ(audit.images, images - 3);
}

TEST(Audit, AllLabelsSuspectIsAWarning) {
    const Scratch folder;
    Made made = made_up(images, classes, 1, 9);
    for (auto& label : made.labels) label[0] = wrong_class(label[0]);
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_GT(audit.suspects, images / 2);
    EXPECT_THAT(audit.warnings, Contains(HasSubstr("more than half of the labels are suspect: the "
                                                   "labels or classes are probably in another")));
    EXPECT_TRUE(std::isfinite(audit.listed[0].score));
}

// With 50 classes, scores without any relation to the labels predict about 2 % of them, and weak
// ones about a third.
TEST(Audit, OnlyModelsAsRareAsChanceHaveAnotherOrder) {
    for (const double skill : {0.0, 1.8}) {
        const Scratch folder;
        const Made made = made_up(images, 50, 1, skill);
        save(folder, made, "a");
        const LabelAudit audit = audit_labels(options_of(folder));
        EXPECT_GT(audit.suspects, images / 2);
        EXPECT_THAT(audit.warnings, Contains(HasSubstr("more than half of the labels")));
        std::size_t correct = 0;
        for (std::size_t i = 0; i < images; ++i) {
            const float* const row = made.scores.data() + 50 * i;
            correct += std::max_element(row, row + 50) - row == made.labels[i][0] ? 1 : 0;
        }
        const std::string weak = fmt::format(
            "No voting model predicts more than {:.1f} % of all labels, so the models are "
            "too weak to judge the labels",
            100. * static_cast<double>(correct) / images);
        const bool chance = skill == 0;
        EXPECT_EQ(correct > images / 5, !chance);
        EXPECT_THAT(audit.warnings, Contains(HasSubstr("another order")).Times(chance ? 1 : 0));
        EXPECT_THAT(audit.warnings, Contains(HasSubstr(weak)).Times(chance ? 0 : 1));
    }
}

TEST(Audit, AStrongModelVotesThoughTwoWeakOnesErrTogether) {
    const Scratch folder;
    const Made weak = made_up(1000, classes, 1, 1.8);
    Made like = weak;
    const Made noise = made_up(1000, classes, 2, 0);
    for (std::size_t i = 0; i < like.scores.size(); ++i) like.scores[i] += 0.2F * noise.scores[i];
    save(folder, weak, "a");
    save(folder, like, "b");
    save(folder, made_up(1000, classes, 3, 7), "strong");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_GT(audit.models[2].weight, 0.9);
    EXPECT_LT(audit.suspects, 10U);
    EXPECT_THAT(audit.warnings, Contains(HasSubstr("of all labels")));
}

TEST(Audit, ScoresOfAnyScaleGetTheirTemperature) {
    const Scratch folder;
    const Made made = planted(1, 4);
    Made small = made;
    for (float& score : small.scores) score /= 1024;
    save(folder, made, "a");
    save(folder, small, "b");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_NEAR(audit.models[0].temperature / audit.models[1].temperature, 1024, 1e-6);
}

// Each label is the best class, so the likelihood increases as the temperature falls, without a
// limit.
TEST(Audit, LabelsThatAreThePredictionsHaveNoBestTemperature) {
    const Scratch folder;
    Made made = made_up(images, classes, 1, 0);
    for (std::size_t i = 0; i < images; ++i) {
        const float* row = made.scores.data() + i * classes;
        made.labels[i][0] = static_cast<std::int32_t>(std::max_element(row, row + classes) - row);
    }
    save(folder, made, "a");
    const LabelAudit audit = audit_labels(options_of(folder));
    EXPECT_THAT(audit.warnings, Contains(HasSubstr("the sharper they are")));
}

TEST(Audit, RefusesWhatCannotBeAudited) {
    {
        const Scratch folder;
        save(folder, planted(1, 7), "a", StorageFormat::top_k);
        EXPECT_THAT(message_of([&] { audit_labels(options_of(folder)); }),
                    HasSubstr("--storage full"));
    }
    {
        const Scratch folder;
        Made made = planted(1, 7);
        for (auto& label : made.labels) label.clear();
        save(folder, made, "a");
        EXPECT_THAT(message_of([&] { audit_labels(options_of(folder)); }),
                    HasSubstr("assay import"));
    }
    {
        const Scratch folder;
        save(folder, planted(1, 7), "a");
        save(folder, made_up(images, classes, 2), "b", StorageFormat::full_f32, 100, false,
             "others");
        AuditOptions options = options_of(folder);
        options.stores.push_back(folder / "others");
        EXPECT_THAT(message_of([&] { audit_labels(options); }), HasSubstr("other labels"));
        options = options_of(folder);
        options.save_labels = folder / "x.csv";
        EXPECT_THAT(message_of([&] { audit_labels(options); }, ErrorCode::usage),
                    HasSubstr("--confirm votes.csv"));
    }
    {
        const Scratch folder;
        save(folder, planted(1, 7), "a");
        std::ofstream(folder / "votes.csv") << "item,label,annotator,answer\nother,c0,ann,no\n";
        AuditOptions options = options_of(folder);
        options.confirm = {folder / "votes.csv"};
        options.save_labels = folder / "x.csv";
        EXPECT_THAT(message_of([&] { audit_labels(options); }),
                    HasSubstr("no answer is about a label of `val`"));
        EXPECT_FALSE(fs::exists(folder / "x.csv"));
    }
    {
        const Scratch folder;
        Made made = made_up(20, 1, 1);
        save(folder, made, "a");
        EXPECT_THAT(message_of([&] { audit_labels(options_of(folder)); }), HasSubstr("one class"));
    }
}
}  // namespace
}  // namespace assay::audit
