#include "assay/evaluate/ood.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.h"
#include "assay/report.h"
#include "message_of.h"
#include "metric/separation.h"
#include "saved_scores.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

Made known_images() {
    return made_up(300, 5, 3, 3);
}
Made other_images() {
    Made made = made_up(200, 5, 8, 0);
    made.dataset = "textures";
    for (auto& labels : made.labels) labels.clear();
    return made;
}

// Max softmax, energy and max logit, computed in plain double arithmetic.
std::array<std::vector<double>, 3> plain_scores(const Made& made) {
    std::array<std::vector<double>, 3> scores;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        double all = 0, best = -1e9;
        for (std::size_t c = 0; c < made.classes; ++c) {
            const auto z = static_cast<double>(made.scores[i * made.classes + c]);
            all += std::exp(z);
            best = std::max(best, z);
        }
        scores[0].push_back(std::exp(best) / all);
        scores[1].push_back(std::log(all));
        scores[2].push_back(best);
    }
    return scores;
}

TEST(Ood, ScoresOfTwoStores) {
    const Scratch folder;
    const Made in = known_images(), out = other_images();
    const auto a = plain_scores(in), b = plain_scores(out);
    for (const auto storage :
         {StorageFormat::full_f32, StorageFormat::full_f16, StorageFormat::top_k}) {
        const std::string runs = "runs" + std::string(name_of(storage));
        const auto one = save(folder, in, "net", storage, 100, false, runs),
                   two = save(folder, out, "net", storage, 100, false, runs);
        const auto list = measure_ood(one, two, 0.95, 2, *self_comm());
        ASSERT_EQ(list.size(), 9U);
        // Half precision rounds the scores, so a few pairs may swap their order.
        const double near = storage == StorageFormat::full_f16 ? 2e-3 : 1e-12;
        for (std::size_t s = 0; s < 3; ++s) {
            const Separation expected = separation(a[s], b[s], 0.95);
            EXPECT_NEAR(*list[3 * s].value, *expected.auroc.value, near);
            EXPECT_NEAR(*list[3 * s + 1].value, *expected.false_positives.value, 10 * near);
            EXPECT_EQ(list[3 * s].n, 500U);
            EXPECT_EQ(list[3 * s].left_out, 0U);
            EXPECT_TRUE(list[3 * s].interval);
        }
        EXPECT_EQ(list[3].key.definition, "ood_auroc.energy");
        EXPECT_EQ(list[4].key.definition, "ood_fpr95.in_positive.energy");
        EXPECT_EQ(list[5].key.definition, "ood_fpr95.out_positive.energy");
        EXPECT_EQ(list[3].key.dataset, "val");
        EXPECT_EQ(list[3].key.parameters.at("out"), "textures");
        EXPECT_FALSE(list[4].higher_is_better);
    }
}

TEST(Ood, WhatAStoreDoesNotHoldIsSaid) {
    const Scratch folder;
    Made in = known_images(), out = other_images();
    for (Made* made : {&in, &out}) {
        made->kind = ScoreKind::probabilities;
        for (std::size_t i = 0; i < made->rows(); ++i) {
            double all = 0;
            for (std::size_t c = 0; c < 5; ++c)
                all += std::exp(static_cast<double>(made->scores[i * 5 + c]));
            for (std::size_t c = 0; c < 5; ++c)
                made->scores[i * 5 + c] = static_cast<float>(
                    std::exp(static_cast<double>(made->scores[i * 5 + c])) / all);
        }
    }
    in.states.assign(in.rows(), RowState::ok);
    in.states[3] = RowState::unreadable;
    const auto one = save(folder, in, "net"), two = save(folder, out, "net");
    const auto list = measure_ood(one, two, 0.95, 1, *self_comm());
    EXPECT_TRUE(list[0].value);
    EXPECT_EQ(list[0].n, 499U);
    EXPECT_EQ(list[0].left_out, 1U);
    EXPECT_THAT(list[3].undefined, HasSubstr("probabilities: logits are needed"));
    EXPECT_THAT(list[8].undefined, HasSubstr("logits are needed"));
}

TEST(Ood, SameBitsForAnyThreadsAndRanks) {
    const Scratch folder;
    const auto one = save(folder, known_images(), "net"), two = save(folder, other_images(), "net");
    const auto text = [](const std::vector<Measurement>& list) {
        std::string all;
        for (const Measurement& m : list) all += to_json(m).dump();
        return all;
    };
    const std::string expected = text(measure_ood(one, two, 0.95, 1, *self_comm()));
    EXPECT_EQ(text(measure_ood(one, two, 0.95, 3, *self_comm())), expected);
    run_thread_ranks(3, [&](Comm& comm) {
        if (text(measure_ood(one, two, 0.95, 1, comm)) != expected)
            throw std::runtime_error("rank differs");
    });
}

TEST(Ood, AskedOfManyStores) {
    const Scratch folder;
    save(folder, known_images(), "net");
    save(folder, other_images(), "net");
    save(folder, known_images(), "alone");
    ScoreRunsOptions options;
    options.paths = {folder / "runs"};
    options.ood = {"val=textures"};
    check(options, {});
    // --ood alone measures nothing that these options change.
    options.by = {"group"};
    EXPECT_THAT(message_of([&] { check(options, {}); }, ErrorCode::usage),
                HasSubstr("--by does not change that"));
    options.measure.metrics = {"top1"};
    EXPECT_NO_THROW(check(options, {}));
    options.by = {};
    options.measure.metrics = {};
    options.measure.class_map = "in9";
    EXPECT_THAT(message_of([&] { check(options, {}); }, ErrorCode::usage),
                HasSubstr("--class-map does not change that"));
    options.measure.class_map = "";
    ScoreResult result = score_runs(options, *self_comm());
    EXPECT_TRUE(result.reports.empty());
    EXPECT_EQ(result.ood.size(), 9U);
    EXPECT_THAT(result.warnings, ::testing::Contains(HasSubstr("alone has val but not textures")));
    const Report report = report_of(result, {});
    EXPECT_EQ(report.records.rows.size(), 9U);
    EXPECT_EQ(report.result.at("ood").size(), 9U);
    options.measure.metrics = {"top1"};
    result = score_runs(options, *self_comm());
    EXPECT_EQ(result.reports.size(), 3U);
    EXPECT_EQ(result.ood.size(), 9U);
    // The default output does not contain these metrics.
    options.ood = {};
    EXPECT_FALSE(report_of(score_runs(options, *self_comm()), {}).result.contains("ood"));
    options.ood = {"val=texture"};
    EXPECT_THAT(message_of([&] { score_runs(options, *self_comm()); }, ErrorCode::usage),
                HasSubstr("textures"));
    for (const char* wrong : {"val", "=val", "val=", "a=b=c"}) {
        options.ood = {wrong};
        EXPECT_THAT(message_of([&] { check(options, {}); }, ErrorCode::usage), HasSubstr("IN=OUT"))
            << wrong;
    }
    options.ood = {"val=textures"};
    EXPECT_THAT(message_of([&] { check(options, {.per_class = true}); }, ErrorCode::usage),
                HasSubstr("pairs"));
}

}  // namespace
}  // namespace assay
