#include "assay/evaluate/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/random.h"
#include "saved_scores.h"

namespace assay {
namespace {

const PairedMetric& metric(const PairReport& report, std::string_view name) {
    for (const auto& m : report.metrics) {
        if (m.candidate.key.metric == name) return m;
    }
    throw std::runtime_error("no metric " + std::string(name));
}

// Two classes. Item i is predicted as class answers[i]: confidently for 'A' or 'B', less so for 'a'
// or 'b'.
Made answers(const std::string& text, const std::string& truth) {
    Made made;
    made.classes = 2;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const float height = std::isupper(text[i]) != 0 ? 4.0F : 1.0F;
        const bool first = std::toupper(text[i]) == 'A';
        made.scores.push_back(first ? height : 0);
        made.scores.push_back(first ? 0 : height);
        made.labels.push_back({truth[i] == 'A' ? 0 : 1});
    }
    return made;
}

TEST(Compare, CountsAndExactMcNemar) {
    Scratch folder;
    //                          both right | only a | only b | both wrong
    const std::string truth =
        "AAAA"
        "A"
        "AAAAA"
        "A";
    const auto a = save(folder,
                        answers("aaaa"
                                "A"
                                "bbbBb"
                                "b",
                                truth),
                        "a");
    const auto b = save(folder,
                        answers("aaaa"
                                "b"
                                "aaaaa"
                                "b",
                                truth),
                        "b");
    const auto report = compared(a, b);
    const auto& top1 = metric(report, "top1");
    EXPECT_DOUBLE_EQ(*top1.difference.value, (5.0 - 1.0) / 11);
    EXPECT_EQ(top1.counts->b, 1U);
    EXPECT_EQ(top1.counts->c, 5U);
    EXPECT_DOUBLE_EQ(*top1.p, 14.0 / 64);  // p is 2 P(X <= 1 | 6, 1/2)
    EXPECT_EQ(top1.p_holm, top1.p);
    EXPECT_EQ(report.both_correct, 4U);
    EXPECT_EQ(report.both_incorrect, 1U);
    EXPECT_EQ(*report.error_consistency.value, *error_consistency(4, 1, 5, 1).value);
    EXPECT_EQ(report.same_prediction, 5U);
    ASSERT_EQ(report.disagreements.size(), 6U);
    // the two most confident items, in item order
    EXPECT_EQ(report.disagreements[0].id, "item00004");
    EXPECT_EQ(report.disagreements[1].id, "item00008");
    EXPECT_EQ(report.disagreements[2].id, "item00005");
    EXPECT_TRUE(report.disagreements[0].baseline_correct);
    EXPECT_FALSE(report.disagreements[0].candidate_correct);
    CompareOptions two;
    two.disagreements = 2;
    EXPECT_EQ(compared(a, b, two).disagreements.size(), 2U);
}

// 40 items are correct in both, 10 and 15 in only one, and 35 in neither. The accuracies are 0.5
// and 0.55, the observed agreement is 0.75, and the chance is 0.5 * 0.55 + 0.5 * 0.45 = 0.5. Kappa
// is 0.5. The jackknife of all 100 was counted in Python.
TEST(Compare, ErrorConsistency) {
    const Estimate e = error_consistency(40, 10, 15, 35);
    EXPECT_NEAR(*e.value, 0.5, 1e-12);
    EXPECT_NEAR(*e.standard_error, 0.08704615115068387, 1e-12);
    EXPECT_NEAR(e.interval->high, 0.5 + 1.959964 * 0.0870462, 1e-5);
    EXPECT_EQ(e.n, 100U);
    EXPECT_NEAR(*error_consistency(4, 1, 5, 1).value, -0.03125, 1e-12);
    EXPECT_EQ(*error_consistency(30, 0, 0, 20).value, 1);
    EXPECT_THAT(error_consistency(30, 0, 0, 20).note,
                testing::HasSubstr("they agree on every item"));
    const Estimate opposite = error_consistency(0, 20, 20, 0);
    EXPECT_EQ(*opposite.value, -1);
    EXPECT_THAT(opposite.note, testing::HasSubstr("they disagree on every item"));
    // No item is correct in both: accuracies 0.6 and 0.4, observed agreement 0, chance 0.48.
    EXPECT_NEAR(*error_consistency(0, 30, 20, 0).value, -0.48 / 0.52, 1e-12);
    EXPECT_THAT(error_consistency(9, 0, 0, 0).undefined,
                testing::HasSubstr("agreement by chance is certain"));
    EXPECT_FALSE(error_consistency(0, 0, 0, 0).value);
    // There is only one error, so there would be no value without that item.
    EXPECT_FALSE(error_consistency(9, 0, 0, 1).interval);
}

// Items are drawn from known proportions. The interval must hold the truth as often as it claims.
TEST(Compare, ErrorConsistencyCovers) {
    int covered = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        RandomStream random(seed, "test.error_consistency");
        std::array<std::uint64_t, 4> cells{};
        for (int i = 0; i < 300; ++i) {
            const double u = random.uniform();
            ++cells[u < 0.6 ? 0 : u < 0.7 ? 1 : u < 0.78 ? 2 : 3];
        }
        // The accuracies are 0.7 and 0.68, the observed agreement 0.82, the chance 0.476 + 0.096.
        const double truth = (0.82 - 0.572) / 0.428;
        const Interval interval =
            *error_consistency(cells[0], cells[1], cells[2], cells[3]).interval;
        covered += interval.low <= truth && truth <= interval.high ? 1 : 0;
    }
    // 95 % of 600 is 570, and 4 standard deviations are 21.
    EXPECT_NEAR(covered, 570, 21);
}

TEST(Compare, AStoreWithItself) {
    Scratch folder;
    const auto a = save(folder, made_up(300, 4, 1), "a");
    const auto report = compared(a, a);
    EXPECT_EQ(report.same_prediction, 300U);
    EXPECT_TRUE(report.disagreements.empty());
    for (const auto& m : report.metrics) {
        ASSERT_TRUE(m.difference.value) << m.candidate.key.metric;
        EXPECT_EQ(*m.difference.value, 0) << m.candidate.key.metric;
        EXPECT_EQ(m.p, 1.0) << m.candidate.key.metric;
        EXPECT_LE(m.difference.interval->low, 0);
        EXPECT_GE(m.difference.interval->high, 0);
    }
}

TEST(Compare, PairingNarrowsTheInterval) {
    Scratch folder;
    const Made first = made_up(1000, 5, 3, 1.5);
    Made second = first;
    RandomStream random(1, "noise");
    for (auto& x : second.scores) x += static_cast<float>(0.1 * random.normal());
    const auto report = compared(save(folder, first, "a"), save(folder, second, "b"));
    for (const char* name : {"nll", "brier", "ece", "ace", "balanced", "calibration_error"}) {
        const auto& m = metric(report, name);
        ASSERT_TRUE(m.difference.interval) << name;
        const double width = m.difference.interval->high - m.difference.interval->low;
        EXPECT_GT(width, 0) << name;
        EXPECT_LT(width, 0.7 * (m.baseline.interval->high - m.baseline.interval->low)) << name;
        EXPECT_TRUE(m.p) << name;
    }
}

TEST(Compare, AlignsByIdWhateverTheOrder) {
    Scratch folder;
    Made first = made_up(200, 4, 5), second = made_up(200, 4, 6);
    second.labels = first.labels;
    const auto straight = compared(save(folder, first, "a"), save(folder, second, "b"));
    // The same candidate in reverse order, with one item renamed.
    Made turned;
    turned.classes = 4;
    for (std::size_t k = 200; k-- > 0;) {
        turned.labels.push_back(second.labels[k]);
        turned.ids.push_back(k == 7 ? "other" : fmt::format("item{:05}", k));
        for (std::size_t c = 0; c < 4; ++c) turned.scores.push_back(second.scores[k * 4 + c]);
    }
    const auto report =
        compared(PredictionStore::open(folder / "runs/val/a"),
                 save(folder, turned, "b", StorageFormat::full_f32, 100, false, "runs2"));
    EXPECT_EQ(report.items, 199U);
    EXPECT_EQ(report.only_baseline, 1U);
    EXPECT_EQ(report.only_candidate, 1U);
    EXPECT_EQ(report.warnings.size(), 1U);
    EXPECT_NEAR(*metric(report, "nll").difference.value, *metric(straight, "nll").difference.value,
                0.05);
    const auto& one = metric(straight, "top1");
    const auto& two = metric(report, "top1");
    EXPECT_LE(one.counts->b - two.counts->b, 1U);
    EXPECT_LE(one.counts->c - two.counts->c, 1U);
}

// The same scores and labels, with the classes in another order.
Made reordered(const Made& made, const std::vector<std::size_t>& place_of) {
    Made out = made;
    out.class_ids.resize(made.classes);
    for (std::size_t c = 0; c < made.classes; ++c)
        out.class_ids[place_of[c]] = fmt::format("c{}", c);
    for (std::size_t i = 0; i < made.rows(); ++i) {
        for (std::size_t c = 0; c < made.classes; ++c)
            out.scores[i * made.classes + place_of[c]] = made.scores[i * made.classes + c];
        for (auto& label : out.labels[i])
            label = static_cast<std::int32_t>(place_of[static_cast<std::size_t>(label)]);
    }
    return out;
}

TEST(Compare, MatchesClassesByTheirIds) {
    const Made first = made_up(300, 5, 5), second = made_up(300, 5, 6);
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::full_f16,
                                        StorageFormat::top_k, StorageFormat::label}) {
        Scratch folder;
        const auto a = save(folder, first, "a", storage);
        const auto expected = compared(a, save(folder, second, "b", storage));
        const auto report = compared(
            a, save(folder, reordered(second, {3, 0, 4, 1, 2}), "b", storage, 100, false, "runs2"));
        EXPECT_TRUE(report.warnings == expected.warnings)
            << testing::PrintToString(report.warnings);
        EXPECT_EQ(report.same_prediction, expected.same_prediction);
        EXPECT_EQ(report.only_candidate_correct, expected.only_candidate_correct);
        ASSERT_EQ(report.metrics.size(), expected.metrics.size());
        for (std::size_t i = 0; i < report.metrics.size(); ++i) {
            const auto &got = report.metrics[i].candidate, &wanted = expected.metrics[i].candidate;
            ASSERT_EQ(got.value.has_value(), wanted.value.has_value()) << wanted.key.metric;
            EXPECT_NEAR(got.value.value_or(0), wanted.value.value_or(0), 1e-6) << wanted.key.metric;
        }
    }
}

TEST(Compare, MatchesClassesUnderAClassMap) {
    Scratch folder;
    const Made second = made_up(300, 4, 6);
    const auto a = save(folder, made_up(300, 4, 5), "a"), b = save(folder, second, "b");
    const auto turned = save(folder, reordered(second, {2, 3, 1, 0}), "b", StorageFormat::full_f32,
                             100, false, "runs2");
    for (const auto decision : {ClassMap::Decision::restrict_, ClassMap::Decision::mean_of_group,
                                ClassMap::Decision::map_argmax}) {
        CompareOptions options;
        options.score.map = ClassMap{"two", ClassList({"x", "y"}), {0, -1, 1, -1}, decision};
        const auto expected = compared(a, b, options), report = compared(a, turned, options);
        EXPECT_EQ(report.same_prediction, expected.same_prediction);
        EXPECT_EQ(metric(report, "top1").candidate.value, metric(expected, "top1").candidate.value);
    }
}

TEST(Compare, RefusesOtherClasses) {
    Scratch folder;
    Made other = made_up(50, 3, 6);
    other.class_ids = {"c0", "dog", "c2"};
    const auto a = save(folder, made_up(50, 3, 5), "a");
    try {
        compared(a, save(folder, other, "b", StorageFormat::full_f32, 100, false, "runs2"));
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_NE(error.message().find("class 1 is `c1` and `dog`"), std::string::npos)
            << error.message();
    }
    // Class numbers without names cannot be compared, so they are used unchanged.
    other.class_ids = {"0", "1", "2"};
    EXPECT_EQ(
        compared(a, save(folder, other, "b", StorageFormat::full_f32, 100, false, "runs3")).items,
        50U);
}

TEST(Compare, ModelsOfOneNameAreNamedByTheirFolders) {
    Scratch folder;
    Made made = made_up(50, 3, 5);
    const auto a = save(folder, made, "m", StorageFormat::full_f32, 100, false, "old");
    const auto b = save(folder, made, "m", StorageFormat::full_f32, 100, false, "new");
    const auto other = save(folder, made, "n", StorageFormat::full_f32, 100, false, "new");
    EXPECT_EQ(compared(a, b).baseline, "old/val/m");
    EXPECT_EQ(compared(a, b).candidate, "new/val/m");
    EXPECT_EQ(to_json(compared(a, b)).at("candidate"), "new/val/m");
    EXPECT_EQ(compared(a, a).candidate, "m");
    made.dataset = "val2";
    const auto elsewhere = save(folder, made, "m", StorageFormat::full_f32, 100, false, "old");
    EXPECT_EQ(compared(a, elsewhere).baseline, "val/m");
    EXPECT_EQ(compared(a, elsewhere).candidate, "val2/m");
    const PredictionStore* list[] = {&b, &other};
    const auto reports = compare_stores(a, list, {}, *self_comm());
    EXPECT_EQ(reports[1].baseline, "old/val/m");
    EXPECT_EQ(reports[1].candidate, "n");
}

// Data sets are identified by bytes, not by names.
TEST(Compare, RefusesImagesThatAreKnownToBeOthers) {
    Scratch folder;
    Made first = made_up(100, 3, 5), second = made_up(100, 3, 6);
    first.images = "xxh128:00000000000000000000000000000001";
    second.images = "xxh128:00000000000000000000000000000002";
    const auto a = save(folder, first, "a");
    for (const char* dataset : {"val", "val2"}) {
        second.dataset = dataset;
        const auto b = save(folder, second, "b", StorageFormat::full_f32, 100, false, dataset);
        try {
            compared(a, b);
            FAIL() << "nothing was thrown";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            EXPECT_EQ(error.message(),
                      "a and b saw different images under the same ids of val; to pair them "
                      "anyway, as for clean and corrupted images, add --other-images");
        }
    }
}

TEST(Compare, WarnsOfOtherImagesAndLabels) {
    Scratch folder;
    Made first = made_up(100, 3, 5), second = made_up(100, 3, 6);
    first.images = "xxh128:00000000000000000000000000000001";
    second.images = "xxh128:00000000000000000000000000000002";
    const auto a = save(folder, first, "a");
    const auto warning = [&](const Made& made, const std::string& runs,
                             CompareOptions options = {}) {
        const auto report = compared(
            a, save(folder, made, "b", StorageFormat::full_f32, 100, false, runs), options);
        EXPECT_EQ(report.dataset, "val");
        EXPECT_EQ(report.candidate_dataset, made.dataset);
        EXPECT_EQ(to_json(report).at("candidate_dataset"), made.dataset);
        EXPECT_LE(report.warnings.size(), 1U);
        return report.warnings.empty() ? "" : report.warnings[0];
    };
    CompareOptions others;
    others.other_images = true;
    EXPECT_EQ(warning(second, "runs2", others),
              "a and b saw different images under the same ids of val");
    second.dataset = "val2";
    EXPECT_EQ(warning(second, "runs3", others),
              "a is scored on val and b on val2: items are paired by their ids; they are different "
              "images");
    second.images = first.images;
    EXPECT_EQ(warning(second, "runs4"),
              "a is scored on val and b on val2: items are paired by their ids; they are the same "
              "images");
    second.images = "";
    EXPECT_EQ(warning(second, "runs5"),
              "a is scored on val and b on val2: items are paired by their ids; there is no "
              "record to show whether they are the same images");
    second.dataset = "val";
    EXPECT_EQ(warning(second, "runs6"), "");
    second.labels[0] = {2};
    second.labels[1] = {0, 1};
    second.labels[2] = {};  // there is no message about it
    EXPECT_EQ(warning(second, "runs7"),
              "2 of 100 common items have different labels in the store of b; the labels of a are "
              "used for both");
    CompareOptions given;
    given.score.labels = a.dataset().labels;
    // If label sets come from a file, the metric top1 still uses the data set's own labels.
    EXPECT_EQ(warning(second, "runs8", given),
              "2 of 100 common items have different labels in the store of b; the labels of a are "
              "used for both");
    given.score.metrics = {parse_metric("real")};
    EXPECT_EQ(warning(second, "runs10", given), "");
    // With another class order, the same labels have other numbers.
    second.labels = first.labels;
    EXPECT_EQ(warning(reordered(second, {1, 2, 0}), "runs9"), "");
}

TEST(Compare, ItemsNotScoredInBothAreLeftOut) {
    Scratch folder;
    Made first = made_up(150, 3, 5), second = made_up(150, 3, 6);
    first.states.assign(150, RowState::ok);
    first.states[3] = RowState::unreadable;
    const auto report = compared(save(folder, first, "a"),
                                 save(folder, second, "b", StorageFormat::full_f32, 100, true));
    EXPECT_EQ(report.not_scored, 51U);
    EXPECT_EQ(report.items, 99U);
    EXPECT_EQ(metric(report, "top1").baseline.n, 99U);
    EXPECT_EQ(metric(report, "top1").candidate.n, 99U);
}

TEST(Compare, RefusesWhatHasNothingInCommon) {
    Scratch folder;
    Made other = made_up(5, 3, 1);
    other.ids = {"v", "w", "x", "y", "z"};
    const auto a = save(folder, made_up(5, 3, 1), "a");
    EXPECT_THROW(
        compared(a, save(folder, other, "b", StorageFormat::full_f32, 100, false, "runs2")), Error);
    EXPECT_THROW(compared(a, save(folder, made_up(5, 4, 1), "c", StorageFormat::full_f32, 100,
                                  false, "runs3")),
                 Error);
}

TEST(Compare, HolmOverTheCandidates) {
    Scratch folder;
    const Made base = made_up(400, 4, 5, 1);
    const auto a = save(folder, base, "a"), b = save(folder, made_up(400, 4, 6, 1.2), "b"),
               c = save(folder, made_up(400, 4, 7, 3), "c");
    const PredictionStore* list[] = {&b, &c};
    const auto reports = compare_stores(a, list, {}, *self_comm());
    ASSERT_EQ(reports.size(), 2U);
    const auto &one = metric(reports[0], "top1"), &two = metric(reports[1], "top1");
    EXPECT_LT(*two.p, *one.p);
    EXPECT_DOUBLE_EQ(*two.p_holm, std::min(1.0, 2 * *two.p));
    EXPECT_DOUBLE_EQ(*one.p_holm, std::max(*two.p_holm, *one.p));
}

TEST(Compare, SaysOnceWhatWasNotComputedAlike) {
    Scratch folder;
    const auto computed = [&](const std::string& name, const std::string& provenance) {
        Made made = made_up(120, 4, 5);
        made.provenance = provenance;
        return save(folder, made, name);
    };
    const std::string cpu = R"({"device":"cpu","framework":"LibTorch 1.13.1"})";
    const std::string gpu = R"x({"device":"cuda (H100)","framework":"LibTorch 2.6.0"})x";
    const std::string half =
        R"x({"device":"cuda (H100)","framework":"LibTorch 2.6.0","precision":"bf16"})x";
    const auto base = computed("base", cpu), same = computed("same", cpu),
               one = computed("one", gpu), two = computed("two", gpu), low = computed("low", half),
               unknown = computed("unknown", "{}");
    const auto notes_of = [&](std::vector<const PredictionStore*> candidates) {
        std::vector<std::string> notes;
        for (const PairReport& pair : compare_stores(base, candidates, {}, *self_comm())) {
            for (const std::string& note : pair.notes) {
                if (note.starts_with("computed in different ways,")) notes.push_back(note);
            }
        }
        return notes;
    };
    EXPECT_THAT(notes_of({&same, &unknown}), testing::IsEmpty());
    EXPECT_THAT(notes_of({&same, &one, &two}),
                testing::ElementsAre(
                    "computed in different ways, which alone changes scores by about 1e-5: base, "
                    "same: cpu, LibTorch 1.13.1; one, two: cuda (H100), LibTorch 2.6.0"));
    EXPECT_THAT(notes_of({&low}),
                testing::ElementsAre(
                    testing::AllOf(testing::HasSubstr("by about 1 part in 100 (bf16)"),
                                   testing::HasSubstr("low: cuda (H100), LibTorch 2.6.0, bf16"))));
}

TEST(Compare, SameBitsForAnyThreadsAndRanks) {
    Scratch folder;
    const auto a = save(folder, made_up(900, 6, 5), "a"), b = save(folder, made_up(900, 6, 6), "b");
    CompareOptions options;
    options.score.threads = 1;
    const std::string expected = to_json(compared(a, b, options)).dump();
    options.score.threads = 3;
    EXPECT_EQ(to_json(compared(a, b, options)).dump(), expected);
    for (const int ranks : {2, 7}) {
        run_thread_ranks(ranks, [&](Comm& comm) {
            const PredictionStore* list[] = {&b};
            if (to_json(compare_stores(a, list, options, comm).at(0)).dump() != expected)
                throw std::runtime_error("rank differs");
        });
    }
}

TEST(Gate, Parses) {
    const Gate plain = parse_gate("top1 >= 0.75");
    EXPECT_EQ(plain.metric.definition(), "top1.first_index");
    EXPECT_EQ(plain.op, Gate::Op::at_least);
    EXPECT_EQ(plain.bound, 0.75);
    EXPECT_FALSE(plain.delta);
    const Gate all = parse_gate(" low( ece:bins=20,edges=right_closed.delta )<=  -0.5 % ");
    EXPECT_EQ(all.end, Gate::End::low);
    EXPECT_TRUE(all.delta);
    EXPECT_EQ(all.op, Gate::Op::at_most);
    EXPECT_DOUBLE_EQ(all.bound, -0.005);
    EXPECT_EQ(all.metric.definition(), "ece.l1.right_closed");
    EXPECT_EQ(all.metric.parameters.at("bins"), "20");
    EXPECT_EQ(parse_gate("nll<1e-1").op, Gate::Op::below);
    EXPECT_EQ(parse_gate("top5>0").op, Gate::Op::above);
    EXPECT_EQ(parse_gate("top1==1").op, Gate::Op::equal);
}

TEST(Gate, RefusesWithTheNearestName) {
    for (const char* text :
         {"", "top1", "top1 >=", ">= 0.5", "top1 >= x", "top1 >= nan", "low(top1 >= 1",
          "top1 = 0.5", "ece:bins >= 1", "ece:bins=0 >= 1", "ece:bin=3 >= 1", "ece:edges=left >= 1",
          "top0 > 1", "top1 >= 0.5 0.6"}) {
        try {
            parse_gate(text);
            FAIL() << text;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::usage) << text;
        }
    }
    try {
        parse_gate("balancd > 0.5");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(error.message().find("balanced"), std::string::npos) << error.message();
    }
}

TEST(Gate, RefusesBoundsThatNoValueReaches) {
    const auto refusal = [](const char* text) -> std::string {
        try {
            parse_gate(text);
            return "";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::usage) << text;
            return error.message();
        }
    };
    EXPECT_EQ(refusal("ece <= 5"),
              "gate `ece <= 5`: 5 is outside the range of ece, 0 to 1; did you mean 5%?");
    EXPECT_EQ(refusal("low(top1) > 75"),
              "gate `low(top1) > 75`: 75 is outside the range of top1, 0 to 1; did you mean 75%?");
    EXPECT_EQ(refusal("top1.delta >= -5"),
              "gate `top1.delta >= -5`: -5 is outside the range of top1.delta, -1 to 1; did you "
              "mean -5%?");
    EXPECT_EQ(refusal("brier <= 300"),
              // 300 % would also be refused
              "gate `brier <= 300`: 300 is outside the range of brier, 0 to 2");
    EXPECT_EQ(refusal("top1 >= 120%"),
              "gate `top1 >= 120%`: 1.2 is outside the range of top1, 0 to 1");
    EXPECT_NE(refusal("top1 >= -0.1"), "");
    for (const char* text :
         {"top1 >= 0", "top1 <= 100%", "top1.delta >= -100%", "brier <= 2", "brier.delta >= -2",
          "overconfidence >= -0.5", "nll <= 5", "nll.delta <= 30", "nll < 3000"}) {
        EXPECT_EQ(refusal(text), "") << text;
    }
}

TEST(Gate, JudgesValuesIntervalsAndDifferences) {
    Scratch folder;
    const std::string truth(20, 'A');
    const auto a = save(folder, answers("aaaaaaaaaaaaaaabbbbb", truth), "a");  // 15 of 20 correct
    const auto b = save(folder, answers("aaaaaaaaaaaaaaaaaabb", truth), "b");  // 18 of 20 correct
    const auto pair = compared(a, b);
    const auto passes = [&](const char* text) { return check_gate(parse_gate(text), pair).passed; };
    EXPECT_TRUE(passes("top1 == 0.9"));
    EXPECT_FALSE(passes("top1 > 0.9"));
    EXPECT_TRUE(passes("top1.delta >= 0.1"));
    EXPECT_FALSE(passes("low(top1.delta) >= 0.1"));
    EXPECT_TRUE(passes("high(top1) <= 1"));
    EXPECT_FALSE(passes("low(top1) >= 0.9"));
    const auto report = score_store(a, {}, *self_comm());
    EXPECT_TRUE(check_gate(parse_gate("top1 >= 75%"), report.measurements).passed);
    EXPECT_THROW(check_gate(parse_gate("top1.delta >= 0"), report.measurements), Error);
    EXPECT_THROW(check_gate(parse_gate("ece:edges=right_closed <= 1"), report.measurements),
                 Error);  // this is another definition
    EXPECT_THROW(check_gate(parse_gate("ece:bins=10 <= 1"), pair), Error);
    // No item has class 1, so the sample deviation over classes is undefined. A gate on an
    // undefined value fails.
    const auto broken = check_gate(parse_gate("class_balance >= 0"), report.measurements);
    EXPECT_FALSE(broken.passed);
    EXPECT_FALSE(broken.value);
    EXPECT_NE(broken.reason, "");
}

TEST(Gate, SaysWhoseValueItIs) {
    Scratch folder;
    const auto a = save(folder, made_up(50, 3, 1), "a"), b = save(folder, made_up(50, 3, 2), "b");
    const auto pair = check_gate(parse_gate("top1.delta >= 0"), compared(a, b));
    EXPECT_EQ(pair.model, "b");
    EXPECT_EQ(pair.baseline, "a");
    EXPECT_EQ(pair.dataset, "val");
    EXPECT_EQ(to_json(pair).at("candidate"), "b");
    EXPECT_EQ(to_json(pair).at("baseline"), "a");
    const auto one =
        to_json(check_gate(parse_gate("top1 >= 0"), score_store(a, {}, *self_comm()).measurements));
    EXPECT_EQ(one.at("model"), "a");
    EXPECT_EQ(one.at("dataset"), "val");
    EXPECT_FALSE(one.contains("baseline"));
}

}  // namespace
}  // namespace assay
