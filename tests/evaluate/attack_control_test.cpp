// Controls of attacks: each control must name the fault of masked, random and batch-dependent
// models.
#include "evaluate/attack_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/evaluate/score.h"
#include "assay/robustness/derived_store.h"
#include "assay/store/verify.h"
#include "core/file.h"
#include "evaluate/attack_signs.h"
#include "pattern_models.h"
#include "robustness/attack_record.h"

namespace assay {
namespace {

using Fault = PatternClassifier::Fault;
using testing::HasSubstr;

class AttackControls : public PatternImages {
protected:
    AttackedResult attacked(Fault fault, const Dataset& dataset, const std::string& runs = "runs") {
        const LoadedModel model = pattern_model("m", fault);
        return attack_models({&model, 1}, dataset, attack_options(runs)).at(0);
    }
};

std::vector<std::string> found_in(const AttackControl& control) {
    std::vector<std::string> names;
    for (const MaskingSign& sign : control.signs) {
        if (sign.found) names.push_back(sign.name);
    }
    return names;
}

TEST_F(AttackControls, ASoundModelHasNoSign) {
    const AttackedResult result = attacked(Fault::none, patterns(120));
    EXPECT_EQ(result.correct, 120U);
    EXPECT_EQ(result.cells.back().robust, 0U);
    const AttackControl& control = result.control;
    EXPECT_EQ(control.verdict, AttackVerdict::no_sign) << reason_of(control);
    EXPECT_EQ(control.images, 16U);
    EXPECT_EQ(control.left, 0U);
    EXPECT_TRUE(std::ranges::all_of(control.signs, &MaskingSign::tested));
    const ControlPasses most = max_control_passes(attack_options("x"));
    EXPECT_LE(control.forward, most.forward);
    EXPECT_LE(control.backward, most.backward);
    // Controls may cost at most a tenth of the attacks. A pass with a gradient costs as much as
    // three passes. The attacks score 1,000 clean images twice and the images of three stores, and
    // compute 11 gradients for each image.
    EXPECT_LE(most.forward + 2 * most.backward, (5000 + 3 * 11'000) / 10);
}

TEST_F(AttackControls, EachMaskedModelIsDoubtful) {
    const Dataset dataset = patterns(120);
    for (const Fault fault : {Fault::rounds8, Fault::rounds32, Fault::saturates, Fault::thousand,
                              Fault::sign_flipped}) {
        SCOPED_TRACE(static_cast<int>(fault));
        const AttackedResult result =
            attacked(fault, dataset, "runs" + std::to_string(static_cast<int>(fault)));
        EXPECT_GT(result.cells.back().robust, 60U) << "it is not masked: this tests nothing";
        EXPECT_EQ(result.control.verdict, AttackVerdict::doubtful);
        const std::vector<std::string> found = found_in(result.control);
        EXPECT_THAT(found, testing::IsSupersetOf({"large_budget", "none_fooled"}));
        // A saturated score does not change at all. Rounded levels do not change, because
        // all values are further than a quarter level from a rounding border.
        if (fault == Fault::thousand || fault == Fault::sign_flipped) {
            EXPECT_THAT(found, testing::Contains("slope"));
        }
    }
}

TEST_F(AttackControls, AStrongerAttackSaysHowLooseTheBoundIs) {
    // If scores are multiplied by 1,000, the loss is 0. The stronger attack uses a ratio, which
    // does not depend on the scale of the scores.
    const AttackedResult result = attacked(Fault::thousand, patterns(120));
    EXPECT_EQ(result.control.left, 16U);
    EXPECT_EQ(result.control.left_by_control, 0U);
}

TEST_F(AttackControls, RandomBatchAndOutputsAreNotUsable) {
    const Dataset dataset = patterns(120);
    for (const auto& [fault, name] :
         {std::pair{Fault::random, "random"}, std::pair{Fault::batch, "batch"},
          std::pair{Fault::probabilities, "outputs"}, std::pair{Fault::not_finite, "outputs"}}) {
        SCOPED_TRACE(name);
        const AttackedResult result =
            attacked(fault, dataset, "runs" + std::to_string(static_cast<int>(fault)));
        EXPECT_EQ(result.control.verdict, AttackVerdict::not_usable);
        EXPECT_THAT(found_in(result.control), testing::Contains(name));
    }
}

TEST_F(AttackControls, ElementsThatAreNoNumbersAreZeroAndSaid) {
    const AttackedResult result = attacked(Fault::gaps, patterns(120, true));
    EXPECT_EQ(result.correct, 120U);
    EXPECT_EQ(result.cells.back().attack, "pgd");
    EXPECT_EQ(result.cells[1].robust, 0U);  // the attack fgsm
    EXPECT_EQ(result.cells[1].not_finite, 40U);
    EXPECT_EQ(result.cells.back().robust, 0U);
    EXPECT_THAT(result.signs, testing::Contains(HasSubstr("fgsm at 8/255: scores, or elements of "
                                                          "the gradient, of 40 of 120 images")));
}

TEST_F(AttackControls, AnImageWithoutAUsableElementIsNeitherAttackedNorCounted) {
    const Dataset dataset = patterns(120, true);
    const LoadedModel model = pattern_model("m", Fault::no_element);
    AttackRunOptions options = attack_options("runs");
    options.attacks = {"fgsm", "autoattack"};
    const AttackedResult result = attack_models({&model, 1}, dataset, options).at(0);
    const AttackCell& fgsm = result.cells.at(1);
    EXPECT_EQ(fgsm.robust, 0U);
    EXPECT_EQ(fgsm.attacked, 80U);
    EXPECT_EQ(fgsm.unreadable.images, 40U);
    EXPECT_THAT(fgsm.unreadable.first_error, HasSubstr("no element of its gradient is finite"));
    EXPECT_EQ(fgsm.ratio.n, 80U);
    // Square needs no gradient, so the ensemble attacks all images.
    EXPECT_EQ(result.cells.at(2).unreadable.images, 0U);
    const Report report = report_of({&result, 1}, options);
    EXPECT_TRUE(report.partial);
    EXPECT_THAT(report.warnings, testing::Contains(HasSubstr(
                                     "40 images with a score without the attack could not be read "
                                     "or computed: they do not count")));
}

TEST_F(AttackControls, ThreadsAndBatchesChangeNoBit) {
    const Dataset dataset = patterns(90);
    std::vector<std::string> seen;
    for (const auto& [threads, batch] : {std::pair{1, 8U}, std::pair{3, 8U}, std::pair{2, 5U}}) {
        const LoadedModel model = pattern_model("m", Fault::rounds32);
        AttackRunOptions options = attack_options("runs" + std::to_string(seen.size()));
        options.predict.threads = threads;
        options.predict.batch_size = batch;
        options.predict.shard_rows = 0;
        const AttackedResult result = attack_models({&model, 1}, dataset, options).at(0);
        seen.push_back(report_of({&result, 1}, options).result["models"][0]["control"].dump());
    }
    for (const std::string& one : seen) EXPECT_EQ(one, seen[0]);
}

TEST_F(AttackControls, AStoreKeepsItsVerdictAndARepeatedCommandReadsIt) {
    const Dataset dataset = patterns(90);
    const LoadedModel model = pattern_model("m", Fault::rounds8);
    const AttackRunOptions options = attack_options("runs");
    const AttackedResult first = attack_models({&model, 1}, dataset, options).at(0);
    const auto& classifier = dynamic_cast<PatternClassifier&>(*model.classifier);
    const std::size_t scored = classifier.scored;
    const AttackedResult again = attack_models({&model, 1}, dataset, options).at(0);
    EXPECT_EQ(classifier.scored, scored + 1);  // one gradient, to test whether the model has any
    const auto control_of = [&](const AttackedResult& result) {
        return report_of({&result, 1}, options).result["models"][0]["control"];
    };
    EXPECT_EQ(control_of(again), control_of(first));
    const PredictionStore store = PredictionStore::open(first.cells.back().store);
    const DerivedStore derived = derived_of(store);
    EXPECT_EQ(derived.verdict, AttackVerdict::doubtful);
    EXPECT_THAT(derived.doubt,
                HasSubstr("at 8/255 the model is fooled on none of 90 attacked images"));
    EXPECT_EQ(to_json(derived)["verdict"], "doubtful");
    EXPECT_FALSE(any_damaged(verify_stores(store.folder())));
}

TEST_F(AttackControls, ADamagedOrForeignRecordIsFound) {
    const Dataset dataset = patterns(90);
    const LoadedModel model = pattern_model("m");
    const AttackRunOptions options = attack_options("runs");
    const AttackedResult result = attack_models({&model, 1}, dataset, options).at(0);
    const fs::path one = result.cells[0].store / "control.json";
    const fs::path other = result.cells[1].store / "control.json";
    const std::string text = read_text(one);
    std::string changed = text;
    changed.replace(changed.find("no sign of masking"), 18, "doubtful          ");
    for (const std::string& bad : {changed, read_text(other), text.substr(0, text.size() / 2)}) {
        write_file_atomically(one, bad);
        EXPECT_TRUE(any_damaged(verify_stores(one.parent_path())));
        // A damaged record must not let a gate pass.
        const DerivedStore derived = derived_of(PredictionStore::open(one.parent_path()));
        EXPECT_EQ(derived.verdict, AttackVerdict::doubtful);
        EXPECT_THAT(derived.doubt, testing::HasSubstr("its record cannot be read"));
    }
    // The same command writes the record again.
    attack_models({&model, 1}, dataset, options);
    EXPECT_EQ(read_text(one), text);
}

TEST_F(AttackControls, WithoutControlsTheVerdictIsNotChecked) {
    const LoadedModel model = pattern_model("m", Fault::rounds8);
    AttackRunOptions options = attack_options("runs");
    options.control = false;
    const AttackedResult result = attack_models({&model, 1}, patterns(30), options).at(0);
    EXPECT_EQ(result.control.verdict, AttackVerdict::not_checked);
    EXPECT_FALSE(fs::exists(result.cells[0].store / "control.json"));
    EXPECT_EQ(max_control_passes(options).forward, 0U);
    EXPECT_EQ(report_of({&result, 1}, options).result["models"][0]["control"]["verdict"],
              "not checked");
}

TEST_F(AttackControls, AGateOnADoubtfulNumberFails) {
    const Dataset dataset = patterns(90);
    for (const auto& [fault, passes] :
         {std::pair{Fault::none, true}, std::pair{Fault::rounds8, false}}) {
        const std::string runs = passes ? "sound" : "masked";
        const AttackedResult result = attacked(fault, dataset, runs);
        ScoreRunsOptions options;
        options.paths = {result.cells.back().store};
        options.measure.gates = {passes ? "top1 <= 0.5" : "top1 >= 0.9"};
        const ScoreResult scores = score_runs(options, *self_comm(), {});
        ASSERT_EQ(scores.gates.size(), 1U);
        EXPECT_EQ(scores.gates[0].passed, passes);
        if (passes) continue;
        EXPECT_THAT(scores.gates[0].reason, HasSubstr("the attack is doubtful"));
        EXPECT_THAT(scores.warnings, testing::Contains(HasSubstr("the attack is doubtful")));
    }
}

TEST_F(AttackControls, FewImagesLeaveSignsUntested) {
    const AttackedResult result = attacked(Fault::none, patterns(15));
    EXPECT_EQ(result.control.verdict, AttackVerdict::no_sign);
    std::vector<std::string> untested;
    for (const MaskingSign& sign : result.control.signs) {
        if (sign.tested) continue;
        untested.push_back(sign.name);
        EXPECT_THAT(sign.text, HasSubstr("too few images for this sign"));
    }
    EXPECT_THAT(untested,
                testing::ElementsAre("none_fooled", "without_gradient", "stronger", "stronger"));
}

/// Outcomes of images that were all correct before the attack; 1 means fooled.
attack::JudgedModel judged(const std::vector<RowOutcome>& clean,
                           const std::vector<RowOutcome>& weak,
                           const std::vector<RowOutcome>& strong) {
    attack::JudgedModel model;
    model.clean = clean;
    model.classes = 10;
    model.attacks = {{"fgsm", 8.0 / 255, true, weak, 0}, {"pgd", 8.0 / 255, true, strong, 0}};
    return model;
}

TEST(AttackSigns, AStrongerAttackThatLeavesMoreIsTested) {
    const auto verdict_of = [](std::size_t n, std::size_t lost) {
        const std::vector<RowOutcome> clean(n, RowOutcome::correct);
        std::vector<RowOutcome> weak(n, RowOutcome::incorrect), strong = weak;
        std::fill_n(strong.begin(), lost, RowOutcome::correct);
        attack::ControlMeasures measures;
        measures.probed = 64;
        return attack::judge_controls(measures, judged(clean, weak, strong), 8.0 / 255).verdict;
    };
    // The p-value 2 / 2^10 = .00195 is above .001, and 2 / 2^11 = .00098 is below.
    EXPECT_EQ(verdict_of(64, 10), AttackVerdict::no_sign);
    EXPECT_EQ(verdict_of(64, 11), AttackVerdict::doubtful);
    EXPECT_EQ(verdict_of(63, 63), AttackVerdict::no_sign);  // there are too few images
}

TEST(AttackSigns, TheBudgetOfControlsShrinksWithWhatIsAttacked) {
    const auto cost = [](double correct) {
        const attack::ControlBudget budget = attack::control_budget(correct, true);
        return static_cast<double>(budget.forward + 2 * budget.backward);
    };
    for (const double correct : {.35, .5, .7, 1.0}) {
        EXPECT_LE(cost(correct), (5000 + 33'000 * correct) / 10) << correct;
    }
    EXPECT_LT(cost(.4), cost(1));
    EXPECT_EQ(attack::control_budget(1, false).backward, 0U);
}

}  // namespace
}  // namespace assay
