#include "assay/evaluate/score.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "message_of.h"
#include "metric/plain_definitions.h"
#include "saved_scores.h"
#include "store/open_shards.h"

namespace assay {
namespace {

TEST(Score, CalibrationFixture) {
    const auto expected = plain::calibration_fixture();
    Made made;
    made.kind = ScoreKind::probabilities;
    for (const auto& row : expected.at("prob_times_64")) {
        for (const auto& x : row) made.scores.push_back(x.get<float>() / 64);
    }
    for (const auto& label : expected.at("labels"))
        made.labels.push_back({label.get<std::int32_t>()});
    Scratch folder;
    const auto store = save(folder, made, "net");
    ScoreOptions options;
    for (const char* text :
         {"top1", "ece", "ece:edges=right_closed", "ece:edges=left_closed_merged", "ace",
          "ace:bins=5", "class_accuracy_balance", "class_accuracy_balance:std=population",
          "class_confidence_balance", "class_confidence_balance:spread=between", "class_balance",
          "class_balance:spread=between", "calibration_error", "balanced"}) {
        options.metrics.push_back(parse_metric(text));
    }
    const auto list = scored(store, options).measurements;
    const auto value = [&](std::size_t i) { return list.at(i).value.value(); };
    const auto want = [&](const char* name) { return expected.at(name).get<double>(); };
    EXPECT_NEAR(value(0), want("accuracy"), 1e-15);
    EXPECT_NEAR(value(1), want("ece15_left_closed"), 1e-12);
    EXPECT_NEAR(value(2), want("ece15_right_closed"), 1e-12);
    EXPECT_NEAR(value(4), want("ace15"), 1e-12);
    EXPECT_NEAR(value(5), want("ace5"), 1e-12);
    EXPECT_NEAR(value(6), want("f_acc_sample_std"), 1e-12);
    EXPECT_NEAR(value(7), want("f_acc_population_std"), 1e-12);
    EXPECT_NEAR(value(8), want("f_conf_within"), 1e-12);
    EXPECT_NEAR(value(9), want("f_conf_between"), 1e-12);
    EXPECT_NEAR(value(10), std::sqrt(want("f_acc_sample_std") * want("f_conf_within")), 1e-12);
    EXPECT_NEAR(value(11), std::sqrt(want("f_acc_population_std") * want("f_conf_between")), 1e-12);
    EXPECT_NEAR(value(12), std::sqrt(want("ece15_left_closed") * want("ace15")), 1e-12);
    EXPECT_NEAR(value(13), (0.375 + 0.25 + 0.25) / 3, 1e-15);
    for (const auto& m : list) {
        EXPECT_EQ(m.n, 24U);
        ASSERT_TRUE(m.interval) << m.key.definition;
        EXPECT_LE(m.interval->low, *m.value);
        EXPECT_GE(m.interval->high, *m.value);
    }
}

TEST(Score, AgreesWithPlainArithmetic) {
    const Made made = made_up(700, 9, 1);
    Scratch folder;
    const auto report = scored(save(folder, made, "net"));
    std::size_t top1 = 0, top5 = 0;
    double nll = 0, brier = 0, confidence = 0;
    plain::Table table{9, {}, {}};
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const float* x = made.scores.data() + i * 9;
        const auto y = static_cast<std::size_t>(made.labels[i][0]);
        const double max = *std::max_element(x, x + 9);
        double sum = 0, square = 0;
        int above = 0;
        for (std::size_t c = 0; c < 9; ++c) sum += std::exp(x[c] - max);
        for (std::size_t c = 0; c < 9; ++c) {
            const double p = std::exp(x[c] - max) / sum;
            square += (p - (c == y ? 1 : 0)) * (p - (c == y ? 1 : 0));
            above += x[c] > x[y] ? 1 : 0;
            table.p.push_back(static_cast<float>(p));
        }
        table.labels.push_back(made.labels[i][0]);
        top1 += above < 1 ? 1 : 0;
        top5 += above < 5 ? 1 : 0;
        nll += std::log(sum) + max - x[y];
        brier += square;
        confidence += 1 / sum;
    }
    const auto value = [&](const char* name) {
        return find(report.measurements, name).value.value();
    };
    EXPECT_DOUBLE_EQ(value("top1"), static_cast<double>(top1) / 700);
    EXPECT_DOUBLE_EQ(value("top5"), static_cast<double>(top5) / 700);
    EXPECT_NEAR(value("nll"), nll / 700, 1e-6);
    EXPECT_NEAR(value("brier"), brier / 700, 1e-6);
    EXPECT_NEAR(value("confidence"), confidence / 700, 1e-6);
    EXPECT_NEAR(value("overconfidence"), (confidence - static_cast<double>(top1)) / 700, 1e-6);
    EXPECT_NEAR(value("ace"), plain::adaptive_error(table, 15).by_size, 1e-6);
    EXPECT_EQ(report.counts.scored, 700U);
    EXPECT_FALSE(report.counts.partial());
    ASSERT_EQ(report.per_class.size(), 9U);
    std::uint64_t n = 0, correct = 0;
    for (const auto& c : report.per_class) n += c.accuracy.n, correct += c.correct;
    EXPECT_EQ(n, 700U);
    EXPECT_EQ(correct, top1);
    std::uint64_t wrong = 0;
    for (const auto& c : report.confusions) wrong += c.count;
    EXPECT_LE(wrong, 700 - top1);
    EXPECT_TRUE(
        std::is_sorted(report.confusions.begin(), report.confusions.end(),
                       [](const Confusion& a, const Confusion& b) { return a.count > b.count; }));
}

TEST(Score, SameBitsForAnyThreadsRanksAndShards) {
    Made made = made_up(3001, 11, 2);
    made.labels[5] = {};
    made.labels[6] = {1, 2};
    made.states.assign(made.rows(), RowState::ok);
    made.states[17] = RowState::unreadable;
    Scratch folder;
    const auto store = save(folder, made, "net");
    ScoreOptions options;
    options.threads = 1;
    const std::string expected = to_json(scored(store, options)).dump();
    for (const int threads : {2, 3, 7}) {
        options.threads = threads;
        options.scratch_bytes = threads == 3 ? 1 : std::uint64_t{1} << 26;
        EXPECT_EQ(to_json(scored(store, options)).dump(), expected) << threads << " threads";
    }
    for (const int ranks : {2, 3, 7}) {
        std::vector<std::string> found(static_cast<std::size_t>(ranks));
        run_thread_ranks(ranks, [&](Comm& comm) {
            found[static_cast<std::size_t>(comm.rank())] =
                to_json(score_store(store, options, comm)).dump();
        });
        for (const auto& text : found) EXPECT_EQ(text, expected) << ranks << " ranks";
    }
    // Other shards, and more ranks than units of work, so that some ranks are empty.
    options.threads = 2;
    EXPECT_EQ(to_json(scored(save(folder, made, "net", StorageFormat::full_f32, 17, false, "other"),
                             options))
                  .dump(),
              expected);
    run_thread_ranks(15, [&](Comm& comm) {
        const std::string text = to_json(score_store(store, options, comm)).dump();
        if (text != expected) throw std::runtime_error("rank differs");
    });
    // Only a few files may be open at the same time.
    const std::size_t before = store::set_open_files(0);
    const std::string few =
        to_json(
            scored(save(folder, made, "net", StorageFormat::full_f32, 17, false, "few"), options))
            .dump();
    store::set_open_files(before);
    EXPECT_EQ(few, expected);
}

TEST(Score, EverythingIsUndefinedWithoutLabels) {
    Made made = made_up(10, 3, 1);
    for (auto& set : made.labels) set.clear();
    Scratch folder;
    const auto report = scored(save(folder, made, "net"));
    EXPECT_EQ(report.counts.unlabelled, 10U);
    for (const auto& m : report.measurements) {
        EXPECT_FALSE(m.value) << m.key.metric;
        EXPECT_NE(m.undefined, "") << m.key.metric;
        EXPECT_EQ(m.n, 0U);
        EXPECT_EQ(m.left_out, 10U);
    }
}

TEST(Score, OneItem) {
    Scratch folder;
    const auto report = scored(save(folder, made_up(1, 3, 4, 9), "net"));
    EXPECT_EQ(find(report.measurements, "top1").value, 1.0);
    EXPECT_FALSE(find(report.measurements, "nll").interval);
    EXPECT_NE(find(report.measurements, "nll").note.find("single item"), std::string::npos);
    EXPECT_FALSE(find(report.measurements, "class_balance", "class_balance.within").value);
}

TEST(Score, LabelSetsAndUnreadableItemsAreCounted) {
    Made made;
    made.classes = 2;
    made.scores = {3, 1, 3, 1, 3, 1, 3, 1, 3, 1};  // the prediction is always class 0
    made.labels = {{0}, {1}, {}, {0, 1}, {1}};
    made.states = {RowState::ok, RowState::ok, RowState::ok, RowState::ok, RowState::unreadable};
    Scratch folder;
    const auto report = scored(save(folder, made, "net"));
    const auto& top1 = find(report.measurements, "top1");
    EXPECT_EQ(top1.value, 0.5);  // items 0 and 1 have one label
    EXPECT_EQ(top1.n, 2U);
    EXPECT_EQ(top1.left_out, 3U);
    const auto& real = find(report.measurements, "real");
    EXPECT_DOUBLE_EQ(real.value.value(), 2.0 / 3);  // items 0 and 3 of 0, 1, 3
    EXPECT_EQ(report.counts.unreadable, 1U);
    EXPECT_EQ(report.counts.unlabelled, 1U);
    EXPECT_EQ(report.counts.multi_label, 1U);
    EXPECT_TRUE(report.counts.partial());
}

TEST(Score, LabelsOfACalibratedClassifierAreDrawnWhereTheStoreHasItsScores) {
    const Made made = made_up(400, 6, 3);
    Scratch folder;
    ScoreOptions options;
    options.null_draws = 20;
    EXPECT_TRUE(find(scored(save(folder, made, "full"), options).measurements, "calibration_error")
                    .calibrated_null);
    const auto nulls_of = [&](StorageFormat storage, const std::string& name) {
        const ScoreReport report = scored(save(folder, made, name, storage), options);
        EXPECT_TRUE(find(report.measurements, "top1").value);
        return std::ranges::count_if(report.measurements, [](const Measurement& m) {
            return m.calibrated_null.has_value();
        });
    };
    EXPECT_EQ(nulls_of(StorageFormat::top_k, "top"), 0);
    EXPECT_EQ(nulls_of(StorageFormat::label, "label"), 0);
}

TEST(Score, ReducedStoresGiveWhatTheyCan) {
    const Made made = made_up(400, 6, 3);
    Scratch folder;
    const auto full = scored(save(folder, made, "full"));
    const auto top = scored(save(folder, made, "top", StorageFormat::top_k));
    const auto label = scored(save(folder, made, "label", StorageFormat::label));
    for (const auto* report : {&top, &label}) {
        for (const char* name : {"top1", "balanced"}) {
            EXPECT_EQ(find(report->measurements, name).value, find(full.measurements, name).value)
                << name;
        }
        EXPECT_NEAR(*find(report->measurements, "ece").value, *find(full.measurements, "ece").value,
                    1e-6);
        EXPECT_NEAR(*find(report->measurements, "ace", "ace.top_label").value,
                    *find(full.measurements, "ace", "ace.top_label").value, 1e-6);
        for (const char* name :
             {"top5", "nll", "brier", "ace", "calibration_error", "class_balance"}) {
            const auto& m = find(report->measurements, name);
            EXPECT_FALSE(m.value) << name;
            EXPECT_NE(m.undefined, "") << name;
        }
    }
    ScoreOptions options;
    options.metrics = {parse_metric("top2")};
    EXPECT_TRUE(
        scored(PredictionStore::open(folder / "runs/val/top"), options).measurements[0].value);
}

TEST(Score, HalfPrecisionIsCloseAndProbabilitiesAgreeWithLogits) {
    const Made made = made_up(300, 5, 6);
    Made softmax = made;
    softmax.kind = ScoreKind::probabilities;
    Made logs = made;
    logs.kind = ScoreKind::log_probabilities;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < 5; ++c) sum += std::exp(made.scores[i * 5 + c]);
        for (std::size_t c = 0; c < 5; ++c) {
            softmax.scores[i * 5 + c] = static_cast<float>(std::exp(made.scores[i * 5 + c]) / sum);
            logs.scores[i * 5 + c] = static_cast<float>(made.scores[i * 5 + c] - std::log(sum));
        }
    }
    Scratch folder;
    const auto a = scored(save(folder, made, "logits")),
               b = scored(save(folder, softmax, "softmax"));
    const auto c = scored(save(folder, logs, "logs")),
               h = scored(save(folder, made, "half", StorageFormat::full_f16));
    EXPECT_TRUE(b.warnings.empty());
    for (std::size_t i = 0; i < a.measurements.size(); ++i) {
        ASSERT_TRUE(a.measurements[i].value) << a.measurements[i].key.metric;
        EXPECT_NEAR(*a.measurements[i].value, *b.measurements[i].value, 1e-5)
            << a.measurements[i].key.metric;
        EXPECT_NEAR(*a.measurements[i].value, *c.measurements[i].value, 1e-5)
            << a.measurements[i].key.metric;
        EXPECT_NEAR(*a.measurements[i].value, *h.measurements[i].value, 0.02)
            << a.measurements[i].key.metric;
    }
}

TEST(Score, WarnsOfASecondSoftmax) {
    Made made = made_up(200, 4, 8);
    for (std::size_t i = 0; i < made.rows(); ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < 4; ++c) sum += std::exp(made.scores[i * 4 + c]);
        for (std::size_t c = 0; c < 4; ++c)
            made.scores[i * 4 + c] = static_cast<float>(std::exp(made.scores[i * 4 + c]) / sum);
    }
    Scratch folder;
    const auto report = scored(save(folder, made, "net"));
    ASSERT_EQ(report.warnings.size(), 1U);
    EXPECT_NE(report.warnings[0].find("probabilities"), std::string::npos);
    EXPECT_TRUE(scored(save(folder, made_up(200, 4, 8), "other")).warnings.empty());
}

TEST(Score, InfiniteLossIsUndefined) {
    Made made;
    made.classes = 2;
    made.kind = ScoreKind::probabilities;
    made.scores = {1, 0, 1, 0};
    made.labels = {{0}, {1}};
    Scratch folder;
    const auto report = scored(save(folder, made, "net"));
    EXPECT_FALSE(find(report.measurements, "nll").value);
    EXPECT_NE(find(report.measurements, "nll").undefined.find("infinite"), std::string::npos);
    EXPECT_EQ(find(report.measurements, "brier").value, 1.0);  // the targets 0 and 2
}

ClassMap map_of(ClassMap::Decision decision) {
    // Six classes with the targets A = {0, 1} and B = {3}; 2, 4 and 5 belong to none.
    return {"test", ClassList({"A", "B"}), {0, 0, -1, 1, -1, -1}, decision};
}

TEST(Score, MapOfTheArgMax) {
    Made made;
    made.classes = 6;
    made.labels = {{0}, {0}, {3}, {2}};
    made.scores = {0, 9, 0, 0, 0, 0,   // predicts 1, which is A: correct
                   0, 0, 9, 0, 0, 0,   // predicts 2, which is not a target: incorrect
                   0, 0, 0, 9, 0, 0,   // predicts B: correct
                   0, 0, 9, 0, 0, 0};  // the label is not a target: excluded
    Scratch folder;
    ScoreOptions options;
    options.map = map_of(ClassMap::Decision::map_argmax);
    const auto report = scored(save(folder, made, "net"), options);
    EXPECT_DOUBLE_EQ(*find(report.measurements, "top1").value, 2.0 / 3);
    EXPECT_FALSE(find(report.measurements, "ece").value);
    EXPECT_FALSE(find(report.measurements, "auroc").value);
    EXPECT_EQ(report.counts.unlabelled, 1U);
    ASSERT_EQ(report.confusions.size(), 1U);
    EXPECT_EQ(report.confusions[0], (Confusion{0, -1, 1}));
    EXPECT_EQ(report.per_class[0].id, "A");
}

TEST(Score, MapOfTheGroupMean) {
    Made made;
    made.classes = 6;
    made.kind = ScoreKind::probabilities;
    made.labels = {{0}, {0}};
    made.scores = {// means A .2, B .25: incorrect, although class 0 has the highest score
                   0.3F, 0.1F, 0, 0.25F, 0.35F, 0, 0.3F, 0.3F, 0, 0.25F, 0.15F, 0};
    Scratch folder;
    ScoreOptions options;
    options.map = map_of(ClassMap::Decision::mean_of_group);
    const auto report = scored(save(folder, made, "net"), options);
    EXPECT_EQ(find(report.measurements, "top1").value, 0.5);
}

TEST(Score, MapThatRestricts) {
    ClassMap map{
        "two", ClassList({"A", "B"}), {-1, 0, -1, 1, -1, -1}, ClassMap::Decision::restrict_};
    Made made;
    made.classes = 6;
    made.labels = {{1}, {3}};
    made.scores = {9, 2, 0, 1, 0, 0,  // class 0 is not used: A wins with p = 1 / (1 + e^-1) = .7311
                   9, 2, 0, 1, 0, 0};  // B is the label: incorrect
    Scratch folder;
    ScoreOptions options;
    options.map = map;
    const auto report = scored(save(folder, made, "net"), options);
    EXPECT_EQ(find(report.measurements, "top1").value, 0.5);
    EXPECT_NEAR(*find(report.measurements, "confidence").value, 0.7310586, 1e-6);
    // p (.7311, .7311) and y (1, 0) for A give |1.4621 - 1| / 2. B is the same. One bin
    // holds both equal values.
    EXPECT_NEAR(*find(report.measurements, "ace", "ace.class_wise").value, 0.2310586, 1e-6);
    EXPECT_THROW(scored(save(folder, made, "top", StorageFormat::top_k), options), Error);
}

TEST(Score, Subgroups) {
    Made made = made_up(300, 3, 9);
    for (std::size_t i = 0; i < 300; ++i) made.group.push_back(i % 3 == 0 ? "night" : "day");
    Scratch folder;
    ScoreOptions options;
    options.subgroup = "group";
    const auto list = scored(save(folder, made, "net"), options).measurements;
    const auto &all = find(list, "top1"), &night = find(list, "top1", "", "group=night"),
               &day = find(list, "top1", "", "group=day");
    EXPECT_EQ(night.n, 100U);
    EXPECT_EQ(day.n, 200U);
    EXPECT_NEAR(*all.value * 300, *night.value * 100 + *day.value * 200, 1e-9);
    options.subgroup = "grup";
    EXPECT_THROW(scored(PredictionStore::open(folder / "runs/val/net"), options), Error);
}

TEST(Score, MissingShardsAreCounted) {
    Scratch folder;
    const auto report =
        scored(save(folder, made_up(250, 3, 1), "net", StorageFormat::full_f32, 100, true));
    EXPECT_EQ(report.counts.missing, 50U);
    EXPECT_EQ(report.counts.scored, 200U);
    EXPECT_TRUE(report.counts.partial());
    ASSERT_EQ(report.warnings.size(), 2U);  // the writer of the store still exists
    EXPECT_NE(report.warnings[0].find("is still being written by process "), std::string::npos);
    EXPECT_NE(report.warnings[1].find("50 of 250 items are in missing shards"), std::string::npos);
}

TEST(Score, AStoreWithoutRowsSaysSo) {
    Scratch folder;
    Made made = made_up(50, 3, 1);
    made.group.assign(50, "night");
    made.provenance = R"({"command": "assay predict -m net.pt -d val"})";
    ScoreOptions options;
    options.subgroup = "group";
    // The only shard is also the last.
    const auto report =
        scored(save(folder, made, "net", StorageFormat::full_f32, 100, true), options);
    EXPECT_EQ(report.counts.missing, 50U);
    ASSERT_FALSE(report.measurements.empty());
    for (const Measurement& m : report.measurements) {
        EXPECT_FALSE(m.value);
        EXPECT_EQ(m.undefined, "no rows are stored yet") << m.key.metric;
    }
    ASSERT_FALSE(report.warnings.empty());
    EXPECT_EQ(
        report.warnings.back(),
        fmt::format(
            "`{}` has no rows yet; rerun the command that made it: assay predict -m net.pt -d val",
            (folder / "runs/val/net").string()));
    options.subgroup = "grop";
    EXPECT_THAT(message_of(
                    [&] {
                        score_store(PredictionStore::open(folder / "runs/val/net"), options,
                                    *self_comm());
                    },
                    ErrorCode::usage),
                testing::HasSubstr("no attribute `grop`; did you mean `group`?"));
}

TEST(Score, LabelsThatDoNotFitAreRefused) {
    Scratch folder;
    const auto store = save(folder, made_up(10, 3, 1), "net");
    ScoreOptions options;
    options.labels = LabelSets();
    EXPECT_THROW(scored(store, options), Error);
    LabelSets labels;
    for (std::int32_t i = 0; i < 10; ++i) labels.append(std::span(&i, 1));
    options.labels = labels;
    EXPECT_THROW(scored(store, options), Error);
}

TEST(Score, CalibratedNull) {
    // If labels are drawn from the softmax, the scores are calibrated, so the value is among the
    // draws. If the logits are then halved, it is not.
    Made made = made_up(3000, 6, 12, 0);
    RandomStream random(4, "labels");
    for (std::size_t i = 0; i < made.rows(); ++i) {
        float* const x = made.scores.data() + i * 6;
        for (std::size_t c = 0; c < 6; ++c) x[c] *= 2;
        double sum = 0, u = random.uniform();
        for (std::size_t c = 0; c < 6; ++c) sum += std::exp(x[c]);
        std::int32_t label = 5;
        for (std::int32_t c = 0; c < 6 && label == 5; ++c) {
            u -= std::exp(x[c]) / sum;
            if (u < 0) label = c;
        }
        made.labels[i] = {label};
    }
    Made flat = made;
    for (float& x : flat.scores) x /= 2;
    Scratch folder;
    ScoreOptions options;
    options.null_draws = 50;
    const auto calibrated = save(folder, made, "good"), dull = save(folder, flat, "dull");
    const auto good = scored(calibrated, options), bad = scored(dull, options);
    for (const char* definition : {"ece.l1.left_closed", "ace.class_wise", "ace.top_label"}) {
        const std::string name = std::string(definition).substr(0, 3);
        const auto& m = find(good.measurements, name, definition);
        ASSERT_TRUE(m.calibrated_null) << definition;
        EXPECT_EQ(m.calibrated_null->draws, 50U);
        EXPECT_GT(m.calibrated_null->p, 0.03) << definition;
        EXPECT_NEAR(m.calibrated_null->mean / *m.value, 1, 0.6) << definition;
        const auto& worse = find(bad.measurements, name, definition);
        EXPECT_DOUBLE_EQ(worse.calibrated_null->p, 1.0 / 51) << definition;
        EXPECT_LT(worse.calibrated_null->mean, *worse.value / 3) << definition;
    }
    EXPECT_FALSE(find(good.measurements, "nll").calibrated_null);
    // The composite metric is computed in each draw from two values for the same labels. With one
    // draw, its mean is that of the draw.
    ASSERT_TRUE(find(good.measurements, "calibration_error").calibrated_null);
    EXPECT_GT(find(good.measurements, "calibration_error").calibrated_null->p, 0.03);
    EXPECT_DOUBLE_EQ(find(bad.measurements, "calibration_error").calibrated_null->p, 1.0 / 51);
    ScoreOptions once = options;
    once.null_draws = 1;
    once.metrics = {parse_metric("ece"), parse_metric("ace"), parse_metric("calibration_error")};
    const auto drawn = scored(calibrated, once);
    EXPECT_NEAR(drawn.measurements.at(2).calibrated_null->mean,
                std::sqrt(drawn.measurements.at(0).calibrated_null->mean *
                          drawn.measurements.at(1).calibrated_null->mean),
                1e-15);
    once.metrics = {parse_metric("calibration_error")};  // without the parts in the list
    EXPECT_EQ(scored(calibrated, once).measurements.at(0).calibrated_null->mean,
              drawn.measurements.at(2).calibrated_null->mean);
    // The null distribution of the debiased error is centered at 0.
    once.metrics = {parse_metric("ece_debiased")};
    once.null_draws = 50;
    const auto debiased = scored(calibrated, once).measurements.at(0);
    EXPECT_LT(std::abs(debiased.calibrated_null->mean), 1e-3);
    EXPECT_GT(debiased.calibrated_null->p, 0.03);
    const std::string expected = to_json(good).dump();
    run_thread_ranks(3, [&](Comm& comm) {
        ScoreOptions two = options;
        two.threads = 2;
        if (to_json(score_store(calibrated, two, comm)).dump() != expected)
            throw std::runtime_error("rank differs");
    });
}

TEST(Score, IntervalsCoverTheTruth) {
    // 60 data sets are from one distribution. The mean over all is the truth. About 3 of the 95 %
    // intervals should miss it, and more than 10 misses have a probability below 0.001. No miss in
    // any metric would mean that the intervals are far too wide.
    std::vector<Made> sets;
    std::map<std::string, std::vector<Measurement>> found;
    ScoreOptions options;
    options.metrics = {parse_metric("nll"), parse_metric("brier"), parse_metric("overconfidence"),
                       parse_metric("top1"), parse_metric("balanced")};
    Scratch folder;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Made made = made_up(400, 4, 1000 + seed, 1.5);
        for (const auto& m :
             scored(save(folder, made, fmt::format("net{}", seed), StorageFormat::full_f32, 400),
                    options)
                 .measurements)
            found[m.key.metric].push_back(m);
    }
    for (const auto& [metric, list] : found) {
        double truth = 0;
        for (const auto& m : list) truth += *m.value / 60;
        int misses = 0;
        for (const auto& m : list)
            misses += truth < m.interval->low || truth > m.interval->high ? 1 : 0;
        EXPECT_LE(misses, 10) << metric;
        const double width = list[0].interval->high - list[0].interval->low;
        double spread = 0;
        for (const auto& m : list) spread += (*m.value - truth) * (*m.value - truth) / 59;
        EXPECT_NEAR(width / (2 * 1.96 * std::sqrt(spread)), 1, 0.35) << metric;
    }
}

}  // namespace
}  // namespace assay
