// The measurements of `assay eval` on stored scores, and the order of their computation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "assay/collective/comm.h"
#include "assay/evaluate/eval.h"
#include "coloured_images.h"
#include "evaluate/watched_predict.h"

namespace assay {
namespace {

using testing::HasSubstr;
using Outcome = PreprocessingChoice::Outcome;

TEST(EvalMetrics, AreThoseOfTheScreen) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(eval_metrics(2), (Names{"top1", "auroc:average=binary", "f1:average=binary", "ece",
                                      "nll", "confidence"}));
    EXPECT_EQ(eval_metrics(5), (Names{"top1", "ece", "nll", "confidence"}));
    EXPECT_EQ(eval_metrics(6), (Names{"top1", "top5", "ece", "nll", "confidence"}));
    EXPECT_EQ(eval_metrics(6, true), (Names{"topk", "ece", "nll", "confidence"}));
    EXPECT_EQ(eval_metrics(5, false, true), (Names{"real", "top1", "ece", "nll", "confidence"}));
}

/// Stored scores of two models on 40 images that are all of class `red`. Both predict `batch`.
class EvalMeasure : public PredictImages {
protected:
    EvalResult measured(Outcome first, Outcome second) {
        const Dataset dataset = images(40);
        EvalResult result;
        std::vector<PredictionStore> stores;
        for (const std::string& name : {std::string("one"), std::string("two")}) {
            const LoadedModel model = loaded(name, std::make_shared<Fake>());
            const auto done = evaluate::predict_watched(std::span(&model, 1), dataset,
                                                        options("runs"), *self_comm(), {});
            stores.push_back(PredictionStore::open(done[0].store));
            EvaluatedModel evaluated;
            evaluated.model = name;
            evaluated.check = "assay check -m " + name + ".pt -d d";
            result.models.push_back(evaluated);
        }
        result.models[0].choice.outcome = first;
        result.models[1].choice.outcome = second;
        const std::vector<const PredictionStore*> opened = {&stores[0], &stores[1]};
        measure(result, opened, {});
        return result;
    }
};

TEST_F(EvalMeasure, EveryNumberOfAnUnsettledModelIsMarked) {
    const EvalResult result = measured(Outcome::given, Outcome::not_settled);
    for (const Measurement& m : result.models[0].measurements)
        EXPECT_THAT(m.note, testing::Not(HasSubstr(not_settled_mark)));
    ASSERT_FALSE(result.models[1].measurements.empty());
    for (const Measurement& m : result.models[1].measurements)
        EXPECT_TRUE(m.note.ends_with(not_settled_mark)) << m.note;
    ASSERT_TRUE(result.comparison);
    for (const PairedMetric& metric : result.comparison->pairs.at(0).metrics) {
        EXPECT_THAT(metric.baseline.note, testing::Not(HasSubstr(not_settled_mark)));
        EXPECT_THAT(metric.candidate.note, HasSubstr(not_settled_mark));
        EXPECT_THAT(metric.difference.note, HasSubstr(not_settled_mark));
    }
}

TEST_F(EvalMeasure, BelowChanceWarnsWithTheWholeCommand) {
    const EvalResult result = measured(Outcome::given, Outcome::given);
    EXPECT_THAT(
        result.models[0].warnings,
        testing::Contains(testing::AllOf(HasSubstr("the accuracy, 0 %, is below chance (50 %)"),
                                         HasSubstr("; type `assay check -m one.pt -d d`"))));
}

class HashOrder : public PredictImages {};

TEST_F(HashOrder, ChangesNoBitAndIsSeenByTheWatcher) {
    const Dataset dataset = images(40);
    const LoadedModel model = loaded("m", std::make_shared<Fake>());
    std::vector<std::uint64_t> seen;
    evaluate::PredictWatch watch;
    watch.batch = [&](std::size_t number, const ImageBatch& batch, std::span<const float> scores) {
        EXPECT_EQ(number, 0U);
        EXPECT_EQ(scores.size(), 2 * batch.n);
        seen.push_back(batch.first_row);
    };
    const auto run = [&](const std::string& runs) {
        seen.clear();
        return kept(evaluate::predict_watched(std::span(&model, 1), dataset, options(runs),
                                              *self_comm(), watch)[0]
                        .store);
    };
    const auto plain = run("plain");
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    watch.in_hash_order = true;
    EXPECT_EQ(run("hashed"), plain);
    EXPECT_FALSE(std::ranges::is_sorted(seen));
    std::ranges::sort(seen);
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 4, 8, 12, 16, 20, 24, 28, 32, 36}));
}

}  // namespace
}  // namespace assay
