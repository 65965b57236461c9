// Gates on a rate at a threshold. They have the numbers of operating points, and errors name what
// is allowed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../evaluate/saved_scores.h"
#include "assay/decisions/operating.h"
#include "assay/evaluate/score.h"
#include "message_of.h"

namespace assay::decisions {
namespace {

using testing::HasSubstr;

Made two_classes(std::size_t rows, std::size_t classes = 2) {
    Made made;
    made.classes = classes;
    RandomStream random(4, "rate gate");
    for (std::size_t i = 0; i < rows; ++i) {
        const bool positive = random.uniform() < .3;
        made.labels.push_back({positive ? 1 : 0});
        for (std::size_t c = 0; c < classes; ++c)
            made.scores.push_back(
                static_cast<float>(random.normal() + (c == 1 && positive ? 2 : 0)));
    }
    return made;
}

ScoreResult gated(const Scratch& folder, const std::vector<std::string>& gates, int threads = 0) {
    ScoreRunsOptions options;
    options.paths = {folder / "runs"};
    options.measure.metrics = {"top1"};
    options.measure.gates = gates;
    options.measure.threads = threads;
    check(options, {});
    return score_runs(options, *self_comm());
}

std::string fault_of(const std::string& gate) {
    return message_of([&] { parse_gate(gate); }, ErrorCode::usage);
}

TEST(RateGates, GiveTheNumbersOfOperatingPoints) {
    const Scratch folder;
    save(folder, two_classes(3000), "net", StorageFormat::full_f32, 4000);
    OperatingOptions decide;
    decide.stores = {folder / "runs"};
    decide.specificity = .9;
    const OperatingPoint point = operating_points(decide).points[0];
    decide.specificity = 0;
    decide.sensitivity = .8;
    decide.positive = "c0";
    const OperatingPoint turned = operating_points(decide).points[0];

    const ScoreResult result =
        gated(folder, {"sensitivity@specificity=.9 >= .2", "low(sensitivity@specificity=90%) >= 1%",
                       "specificity@sensitivity=.8,positive=c0 > .99"});
    ASSERT_EQ(result.gates.size(), 3U);
    const GateResult& value = result.gates[0];
    EXPECT_EQ(value.value, point.sensitivity.value);
    EXPECT_TRUE(value.passed);
    ASSERT_TRUE(value.point);
    EXPECT_EQ(value.point->threshold, point.threshold);
    EXPECT_EQ(value.point->log_odds, point.log_odds);
    EXPECT_EQ(to_json(value)["point"]["log_odds"], *point.log_odds);
    EXPECT_EQ(value.point->chosen_on, point.chosen_on);
    EXPECT_EQ(value.point->positive, "c1");
    EXPECT_EQ(value.point->specificity.value, point.specificity.value);
    EXPECT_EQ(result.gates[1].value, point.sensitivity.interval->low);
    EXPECT_LT(*result.gates[1].value, *value.value);
    EXPECT_EQ(result.gates[2].value, turned.specificity.value);
    EXPECT_FALSE(result.gates[2].passed);
    EXPECT_FALSE(all_passed(result.gates));
    EXPECT_EQ(to_json(value)["point"]["positives"], point.positives);
    EXPECT_EQ(to_json(value)["definition"], "sensitivity.halves");
    // A note shows the value with its interval.
    EXPECT_THAT(result.reports[0].notes,
                testing::Contains(HasSubstr("sensitivity@specificity=0.9: ")));
    EXPECT_EQ(to_json(gated(folder, {"sensitivity@specificity=.9 >= .2"}, 3).gates[0]),
              to_json(value));
}

TEST(RateGates, SayWhatIsAllowed) {
    EXPECT_THAT(fault_of("sensitivity@specificity=95 >= .8"),
                testing::AllOf(HasSubstr("outside 0.0001 to 0.9999"), HasSubstr("mean 95%?")));
    EXPECT_THAT(fault_of("sensitivity@specificity=1 >= .8"), HasSubstr("outside 0.0001 to"));
    EXPECT_THAT(fault_of("sensitivity@specificity=.95 <= .8"), HasSubstr("must be >= or >"));
    EXPECT_THAT(fault_of("sensitivity@specificity=.95 >= 80"), HasSubstr("did you mean 80%?"));
    for (const char* above :
         {"sensitivity@specificity=.95 >= 150%", "sensitivity@specificity=1 >= .8"})
        EXPECT_THAT(fault_of(above), testing::Not(HasSubstr("did you mean")));
    EXPECT_THAT(fault_of("sensitivty@specificity=.95 >= .8"),
                HasSubstr("`sensitivty` is no rate; did you mean `sensitivity`?"));
    EXPECT_THAT(fault_of("sensitivity@specificity=.9,specificity=.99 >= .2"),
                HasSubstr("`specificity=` appears twice"));
    EXPECT_THAT(fault_of("sensitivity@sensitivity=.95 >= .8"),
                HasSubstr("after `sensitivity@`, `specificity=` and `positive=` are allowed"));
    EXPECT_THAT(fault_of("specificity@positive=c1 >= .8"), HasSubstr("`sensitivity=` is missing"));
    EXPECT_THAT(fault_of("specificity@sensitivity=high >= .8"), HasSubstr("not a number"));
    EXPECT_THAT(fault_of("worst(sensitivity@specificity=.9) >= .8"), HasSubstr("no groups"));
    EXPECT_THAT(fault_of("sensitivity@specificity=.9.delta >= 0"), HasSubstr("no difference"));
}

TEST(RateGates, AreAboutTheImagesOfOneStoreWithTwoClasses) {
    const Scratch folder;
    save(folder, two_classes(300, 3), "net", StorageFormat::full_f32, 4000);
    const std::vector<std::string> gates = {"sensitivity@specificity=.9 >= .2"};
    EXPECT_THAT(message_of([&] { gated(folder, gates); }), HasSubstr("it has 3 classes"));
    const Scratch other;
    save(other, two_classes(300), "net", StorageFormat::full_f32, 4000);
    EXPECT_THAT(
        message_of([&] { gated(other, {"sensitivity@specificity=.9,positive=cat >= .2"}); }),
        testing::AllOf(HasSubstr("`cat` is no class"),
                       HasSubstr("--gate 'sensitivity@specificity=0.9,positive=c1 >= 0.8'")));
    ScoreRunsOptions options;
    options.paths = {other / "runs"};
    options.measure.gates = gates;
    options.weights = "weight";
    EXPECT_THAT(message_of([&] { check(options, {}); }, ErrorCode::usage),
                HasSubstr("without weights"));
    MeasureOptions given;  // gates of `assay eval` work, too
    given.gates = gates;
    given.labels = {"real.json"};
    EXPECT_THAT(message_of([&] { check(given, false); }, ErrorCode::usage),
                HasSubstr("their own labels"));
    CompareRunsOptions pair;
    pair.measure.gates = gates;
    pair.measure.labels = {"real.json"};
    EXPECT_THAT(message_of([&] { check(pair); }, ErrorCode::usage),
                HasSubstr("assay score RUNS --gate"));
    pair.measure.labels = {};
    pair.weights = "weight";
    EXPECT_THAT(message_of([&] { check(pair); }, ErrorCode::usage), HasSubstr("without weights"));
}

/// The note of a gate about 400 images, whose scores of the second class alternate.
std::string note_about(ScoreKind kind, float negative, float positive) {
    Made made;
    made.classes = 2;
    made.kind = kind;
    for (std::size_t i = 0; i < 400; ++i) {
        const float score = i % 2 == 1 ? positive : negative;
        made.labels.push_back({static_cast<std::int32_t>(i % 2)});
        made.scores.push_back(kind == ScoreKind::logits ? 0 : 1 - score);
        made.scores.push_back(score);
    }
    const Scratch folder;
    save(folder, made, "net", StorageFormat::full_f32, 4000);
    const ScoreResult result = gated(folder, {"sensitivity@specificity=.9 >= .2"});
    for (const std::string& note : result.reports.at(0).notes)
        if (note.starts_with("net: sensitivity@")) return note;
    return "";
}

TEST(RateGates, NotesHaveTheScaleThatDecides) {
    const std::string high = note_about(ScoreKind::logits, 40, 50);
    EXPECT_THAT(high, HasSubstr(" at the threshold log-odds 40.01 of `c1`; chosen on "));
    EXPECT_THAT(high, testing::EndsWith("negative ones"));
    // Both probabilities round to 0.
    EXPECT_THAT(note_about(ScoreKind::logits, -900, -800),
                HasSubstr(" at the threshold log-odds -899.99 of `c1`; "));
    // Neither score decides above the other, so no image is called positive.
    const std::string none = note_about(ScoreKind::probabilities, 1, 1);
    EXPECT_THAT(none, HasSubstr("sensitivity@specificity=0.9: 0.0 % "));
    EXPECT_THAT(none, HasSubstr(" at the threshold above 1 of `c1`; "));
    EXPECT_THAT(none, testing::EndsWith("no threshold up to 1 has specificity >= 0.9"));
    EXPECT_THAT(note_about(ScoreKind::probabilities, .25F, .75F),
                HasSubstr(" at the threshold 0.251 of `c1`; "));
}

TEST(RateGates, OfAComparisonAreAboutEachCandidate) {
    const Scratch folder;
    Made made = two_classes(2000);
    save(folder, made, "old", StorageFormat::full_f32, 4000);
    for (std::size_t i = 1; i < made.scores.size(); i += 2)
        made.scores[i] += made.labels[i / 2][0] == 1 ? 2.F : 0.F;
    save(folder, made, "better", StorageFormat::full_f32, 4000);
    std::ranges::reverse(made.scores);
    save(folder, made, "wrong", StorageFormat::full_f32, 4000);
    const std::vector<std::string> gates = {"sensitivity@specificity=.9 >= .5"};
    const ScoreResult scored = gated(folder, gates);
    CompareRunsOptions options;
    options.baseline = folder / "runs/val/old";
    options.candidates = {folder / "runs/val"};
    options.measure.metrics = {"top1"};
    options.measure.gates = gates;
    check(options);
    const CompareResult result = compare_runs(options, *self_comm());
    ASSERT_EQ(result.gates.size(), 2U);
    EXPECT_TRUE(result.gates[0].passed);
    EXPECT_FALSE(result.gates[1].passed);
    for (const GateResult& gate : result.gates) {
        EXPECT_EQ(gate.baseline, "old");
        const auto same = std::ranges::find(scored.gates, gate.model, &GateResult::model);
        ASSERT_NE(same, scored.gates.end());
        EXPECT_EQ(gate.value, same->value);
        EXPECT_EQ(gate.point.value().threshold, same->point.value().threshold);
    }
    EXPECT_THAT(result.pairs[0].notes,
                testing::Contains(HasSubstr("better: sensitivity@specificity=0.9: ")));
}

}  // namespace
}  // namespace assay::decisions
