// Scoring with label sets, from a store to the report, compared with the written definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "core/statistics.h"
#include "evaluate/compare_agreement.h"
#include "message_of.h"
#include "saved_scores.h"

namespace assay {
namespace {

using testing::HasSubstr;
using Set = std::vector<std::int32_t>;

// Scores have few levels, so many tie and all are exact in half precision. Label sets have 0 to
// 5 random labels.
Made with_sets(std::size_t rows, std::size_t classes, std::uint64_t seed,
               std::uint64_t levels = 12) {
    Made made;
    made.classes = classes;
    RandomStream random(seed, "sets");
    for (std::size_t i = 0; i < rows; ++i) {
        Set set(random.below(6));
        for (auto& c : set) c = static_cast<std::int32_t>(random.below(classes));
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
        made.labels.push_back(set);
        for (std::size_t c = 0; c < classes; ++c) {
            const bool valid =
                std::binary_search(set.begin(), set.end(), static_cast<std::int32_t>(c));
            made.scores.push_back(
                static_cast<float>(random.below(levels) + (valid ? levels / 2 : 0)) / 4);
        }
    }
    return made;
}

struct Plain {
    std::map<std::size_t, std::vector<std::array<double, 3>>>
        agreement;  // maps g to recall, jaccard and hamming of each item
    std::size_t labelled = 0, in_set = 0, unlabelled = 0;
    double mean(std::size_t g, std::size_t kind) const {
        double sum = 0;
        for (const auto& a : agreement.at(g)) sum += a[kind];
        return sum / static_cast<double>(agreement.at(g).size());
    }
};

Plain plain(const Made& made) {
    Plain result;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const float* const x = made.scores.data() + i * made.classes;
        std::vector<std::int32_t> order(made.classes);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int32_t a, std::int32_t b) { return x[a] > x[b]; });
        const Set& set = made.labels[i];
        const std::size_t g = set.size();
        if (g == 0) {
            ++result.unlabelled;
            continue;
        }
        ++result.labelled;
        double h = 0;
        for (std::size_t k = 0; k < g; ++k)
            h += std::count(set.begin(), set.end(), order[k]) > 0 ? 1 : 0;
        result.in_set += std::count(set.begin(), set.end(), order[0]) > 0 ? 1 : 0;
        const auto size = static_cast<double>(g);
        result.agreement[g].push_back(
            {h / size, h / (2 * size - h), 1 - 2 * (size - h) / static_cast<double>(made.classes)});
    }
    return result;
}

ScoreOptions asking(const std::vector<const char*>& metrics) {
    ScoreOptions options;
    for (const char* text : metrics) options.metrics.push_back(parse_metric(text));
    return options;
}

void expect_plain(const ScoreReport& report, const Plain& expected) {
    const char* const kinds[] = {"recall", "jaccard", "hamming"};
    for (std::size_t kind = 0; kind < 3; ++kind) {
        double asma = 0, all = 0;
        for (std::size_t g = 1; g <= 5; ++g) {
            asma += expected.mean(g, kind) / 5;
            all += expected.mean(g, kind) * static_cast<double>(expected.agreement.at(g).size());
        }
        const std::string name = kinds[kind];
        const auto& m = find(report.measurements, "asma", "asma." + name);
        ASSERT_TRUE(m.value) << m.undefined;
        EXPECT_NEAR(*m.value, asma, 1e-12) << name;
        EXPECT_EQ(m.n, expected.labelled);
        EXPECT_EQ(m.left_out, expected.unlabelled);
        EXPECT_NEAR(*find(report.measurements, "variable_topk", "variable_topk." + name).value,
                    all / static_cast<double>(expected.labelled), 1e-12)
            << name;
    }
    EXPECT_DOUBLE_EQ(*find(report.measurements, "real").value,
                     static_cast<double>(expected.in_set) / static_cast<double>(expected.labelled));
    std::size_t seen = 0;
    for (const Measurement& m : report.measurements) {
        if (m.key.metric != "subgroup_accuracy") continue;
        const auto g = static_cast<std::size_t>(std::stoi(m.key.parameters.at("g")));
        EXPECT_NEAR(*m.value, expected.mean(g, 0), 1e-12) << g;
        EXPECT_EQ(m.n, expected.agreement.at(g).size()) << g;
        EXPECT_TRUE(m.interval) << g;
        ++seen;
    }
    EXPECT_EQ(seen, 5U);
}

const std::vector<const char*> everything{"real",
                                          "asma",
                                          "asma.jaccard",
                                          "asma.hamming",
                                          "variable_topk",
                                          "variable_topk.jaccard",
                                          "subgroup_accuracy",
                                          "variable_topk.hamming"};

TEST(Multilabel, AgreesWithTheDefinitions) {
    for (const std::size_t classes : {7U, 40U}) {
        const Made made = with_sets(1500, classes, classes);
        const Plain expected = plain(made);
        Scratch folder;
        expect_plain(scored(save(folder, made, "full"), asking(everything)), expected);
        expect_plain(
            scored(save(folder, made, "half", StorageFormat::full_f16), asking(everything)),
            expected);
        expect_plain(scored(save(folder, made, "best", StorageFormat::top_k, 100, false, "runs", 5),
                            asking(everything)),
                     expected);
    }
}

TEST(Multilabel, SameBitsForAnyThreadsRanksAndSubsets) {
    Made made = with_sets(3001, 11, 3);
    made.states.assign(made.rows(), RowState::ok);
    made.states[17] = RowState::unreadable;
    for (std::size_t i = 0; i < made.rows(); ++i)
        made.group.push_back(i % 3 == 0 ? "night" : "day");
    Scratch folder;
    const auto store = save(folder, made, "net");
    ScoreOptions options = asking(everything);
    options.subgroup = "group";
    options.threads = 1;
    const auto report = scored(store, options);
    const std::string expected = to_json(report).dump();
    for (const int threads : {2, 3, 7}) {
        options.threads = threads;
        EXPECT_EQ(to_json(scored(store, options)).dump(), expected) << threads << " threads";
    }
    for (const int ranks : {2, 7}) {
        run_thread_ranks(ranks, [&](Comm& comm) {
            if (to_json(score_store(store, options, comm)).dump() != expected)
                throw std::runtime_error("rank differs");
        });
    }
    EXPECT_EQ(report.labels_per_image.size(), 6U);
    EXPECT_EQ(std::accumulate(report.labels_per_image.begin(), report.labels_per_image.end(),
                              std::uint64_t{0}),
              3001U);
    const auto &all = find(report.measurements, "variable_topk"),
               &night = find(report.measurements, "variable_topk", "", "group=night"),
               &day = find(report.measurements, "variable_topk", "", "group=day");
    EXPECT_EQ(all.n, night.n + day.n);
    EXPECT_NEAR(
        *all.value * static_cast<double>(all.n),
        *night.value * static_cast<double>(night.n) + *day.value * static_cast<double>(day.n),
        1e-9);
}

TEST(Multilabel, ReducedStoresSayWhatTheyDoNotKnow) {
    const Made made = with_sets(600, 9, 4);
    Scratch folder;
    const auto two = scored(save(folder, made, "two", StorageFormat::top_k), asking(everything));
    const auto label =
        scored(save(folder, made, "label", StorageFormat::label), asking(everything));
    const Plain expected = plain(made);
    const auto accuracy = [](const ScoreReport& report,
                             const std::string& g) -> const Measurement& {
        for (const auto& m : report.measurements) {
            if (m.key.metric == "subgroup_accuracy" && m.key.parameters.at("g") == g) return m;
        }
        throw std::runtime_error("no subgroup " + g);
    };
    EXPECT_NEAR(*accuracy(two, "1").value, expected.mean(1, 0), 1e-12);
    EXPECT_NEAR(*accuracy(two, "2").value, expected.mean(2, 0), 1e-12);
    EXPECT_NEAR(*accuracy(label, "1").value, expected.mean(1, 0), 1e-12);
    EXPECT_THAT(accuracy(two, "3").undefined,
                HasSubstr("keeps only the best 2 of each row, so the best 3"));
    EXPECT_THAT(accuracy(label, "2").undefined,
                HasSubstr("keeps only the best 1 of each row, so the best 2"));
    // The number of images is known even if the value is undefined.
    EXPECT_EQ(accuracy(two, "3").n, expected.agreement.at(3).size());
    EXPECT_EQ(find(two.measurements, "asma").n, expected.labelled);
    EXPECT_EQ(find(label.measurements, "variable_topk").n, expected.labelled);
    EXPECT_FALSE(find(two.measurements, "asma").value);
    EXPECT_FALSE(find(label.measurements, "variable_topk").value);
    EXPECT_TRUE(find(label.measurements, "real").value);
    EXPECT_TRUE(
        scored(PredictionStore::open(folder / "runs/val/two"), asking({"asma:subgroups=1,2"}))
            .measurements[0]
            .value);
}

TEST(Multilabel, ShownOnlyWhereSetsHaveSeveralLabels) {
    Scratch folder;
    const auto names = [](const ScoreReport& report) {
        std::vector<std::string> list;
        for (const auto& m : report.measurements) list.push_back(m.key.metric);
        return list;
    };
    const auto single = names(scored(save(folder, made_up(60, 4, 1), "one")));
    for (const char* name : {"real", "asma", "variable_topk", "subgroup_accuracy"})
        EXPECT_EQ(std::count(single.begin(), single.end(), name), 0) << name;
    const auto several = scored(
        save(folder, with_sets(60, 4, 1), "sets", StorageFormat::full_f32, 100, false, "runs2"));
    const auto list = names(several);
    EXPECT_EQ(std::count(list.begin(), list.end(), "real"), 1);
    EXPECT_EQ(std::count(list.begin(), list.end(), "asma"), 1);
    // There are four classes, so images have up to four labels, and the subgroup of five is absent.
    EXPECT_EQ(std::count(list.begin(), list.end(), "subgroup_accuracy"), 4);
    EXPECT_THAT(find(several.measurements, "asma").undefined, HasSubstr("no item has 5 labels"));
}

// Six classes are mapped to A = {0, 1}, B = {3} and C = {4}; 2 and 5 belong to none.
ClassMap onto_three(ClassMap::Decision decision) {
    return {"test", ClassList({"A", "B", "C"}), {0, 0, -1, 1, 2, -1}, decision};
}

TEST(Multilabel, UnderClassMaps) {
    Made made;
    made.classes = 6;
    made.kind = ScoreKind::probabilities;
    made.labels = {{0, 1, 3},  // labels A and B
                   {3, 4},     // labels B and C
                   {2, 5},     // the map has none of its labels, so it is excluded
                   {4}};
    made.scores = {// A .2, B .1, C .3: the best two are C and A, of which one is valid
                   .3F, .1F, .0F, .1F, .3F, .2F, .0F, .0F, .2F, .3F, .3F, .2F,  // B and C are valid
                   1.F, .0F, .0F, .0F, .0F, .0F,                                //
                   .1F, .1F, .6F, .0F, .2F, .0F};                               // C is correct
    Scratch folder;
    const auto store = save(folder, made, "net");
    ScoreOptions options =
        asking({"asma:subgroups=1,2", "subgroup_accuracy", "variable_topk", "real"});
    options.map = onto_three(ClassMap::Decision::mean_of_group);
    auto report = scored(store, options);
    EXPECT_DOUBLE_EQ(*report.measurements[0].value, (1 + 0.75) / 2);
    EXPECT_EQ(report.measurements[0].left_out, 1U);
    EXPECT_EQ(report.labels_per_image, (std::vector<std::uint64_t>{1, 1, 2}));
    // The arg-max is only one class. So images with one label can be judged, and images with two
    // cannot.
    options.map = onto_three(ClassMap::Decision::map_argmax);
    report = scored(store, options);
    EXPECT_THAT(report.measurements[0].undefined, HasSubstr("class map"));
    EXPECT_EQ(report.measurements[1].value, 0.0);  // row 3 predicts 2, which is not a target
    EXPECT_FALSE(report.measurements[2].value);
    // Class 1 is its own target, so the scores of the listed classes are used unchanged.
    options.map = ClassMap{"some",
                           ClassList({"a", "b", "d", "e"}),
                           {0, 1, -1, 2, 3, -1},
                           ClassMap::Decision::restrict_};
    options.metrics = {parse_metric("asma:subgroups=1-3")};
    // Row 0 has the labels a, b, d and the ranking e, a, b, d: 2 of 3. Row 1 has 2 of 2, and row
    // 3 has 1.
    EXPECT_DOUBLE_EQ(*scored(store, options).measurements[0].value, (1 + 1 + 2.0 / 3) / 3);
}

// Five images of three classes. The data set has one label for each, and the label sets differ.
struct Relabelled {
    Made made;
    LabelSets sets;
};
Relabelled relabelled() {
    Relabelled r;
    r.made.classes = 3;
    r.made.labels = {{0}, {1}, {2}, {0}, {1}};
    r.made.scores = {5, 1, 0,   // predicts 0, label 0, valid set {0}
                     5, 1, 0,   // predicts 0, label 1, valid set {0}
                     1, 5, 2,   // predicts 1, label 2, valid set {1, 2}: both are found
                     0, 5, 1,   // predicts 1, label 0, valid set {}
                     0, 5, 1};  // predicts 1, label 1, valid set {1, 2}
    for (const Set& set : {Set{0}, {0}, {1, 2}, {}, {1, 2}}) r.sets.append(set);
    return r;
}

TEST(Multilabel, SingleLabelMetricsKeepTheDataSetsOwnLabels) {
    const Relabelled r = relabelled();
    for (const StorageFormat storage : {StorageFormat::full_f32, StorageFormat::top_k}) {
        Scratch folder;
        const auto store = save(folder, r.made, "net", storage);
        ScoreOptions options = asking({"top1", "balanced", "real", "asma:subgroups=1,2", "nll"});
        ScoreReport without = scored(store, options);
        options.labels = r.sets;
        const ScoreReport with = scored(store, options);
        // By their own labels, images 0 and 4 of five are correct. By class: 1/2, 1/2, 0/1.
        EXPECT_DOUBLE_EQ(*find(with.measurements, "top1").value, 0.4);
        EXPECT_EQ(find(with.measurements, "top1").n, 5U);
        EXPECT_EQ(find(with.measurements, "top1").key.definition, "top1.first_index");
        EXPECT_DOUBLE_EQ(*find(with.measurements, "balanced").value, 1.0 / 3);
        for (const char* name : {"top1", "balanced", "nll"}) {
            EXPECT_EQ(find(with.measurements, name).value, find(without.measurements, name).value)
                << name;
            EXPECT_EQ(find(with.measurements, name).n, find(without.measurements, name).n) << name;
        }
        // By label sets, the predictions of all four images with labels are valid.
        EXPECT_DOUBLE_EQ(*find(with.measurements, "real").value, 1.0);
        EXPECT_EQ(find(with.measurements, "real").n, 4U);
        // One label: 2 of 2. Two labels: the two best classes of images 2 and 4 are 1 and 2.
        EXPECT_DOUBLE_EQ(*find(with.measurements, "asma").value, 1.0);
        // The tables of classes and of confusions also use the data set's own labels.
        EXPECT_EQ(with.per_class[0].accuracy.n, 2U);
        EXPECT_EQ(with.per_class[0].correct, 1U);
        EXPECT_EQ(with.confusions, without.confusions);
    }
}

TEST(Multilabel, TheWholeRowOfThePapersComesFromOneCall) {
    Made made = made_up(400, 5, 3);
    Scratch folder;
    const auto store = save(folder, made, "net");
    const double top1 = *find(scored(store).measurements, "top1").value;
    ScoreOptions options;
    options.labels.emplace();
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const auto label = made.labels[i][0];
        options.labels->append(i % 3 == 0 ? Set{label, (label + 1) % 5} : Set{label});
    }
    const auto row = scored(store, options);
    EXPECT_DOUBLE_EQ(*find(row.measurements, "top1").value, top1);
    EXPECT_EQ(find(row.measurements, "top1").n, 400U);
    EXPECT_TRUE(find(row.measurements, "real").value);
    EXPECT_TRUE(find(row.measurements, "subgroup_accuracy").value);
    EXPECT_EQ(find(row.measurements, "asma").key.definition, "asma.recall");
}

TEST(Multilabel, WithoutSingleLabelsOfItsOwnTheOnlyValidClassStandsInAndTheIdSaysSo) {
    Scratch folder;
    // The data set has no labels of its own, so they come from a file.
    Relabelled r = relabelled();
    for (auto& set : r.made.labels) set.clear();
    ScoreOptions options = asking({"top1", "nll", "real"});
    options.labels = r.sets;
    const auto bare = scored(save(folder, r.made, "net"), options);
    EXPECT_EQ(find(bare.measurements, "top1").key.definition, "top1.first_index.only_valid");
    EXPECT_EQ(find(bare.measurements, "nll").key.definition, "nll.natural.only_valid");
    EXPECT_EQ(find(bare.measurements, "real").key.definition, "real.in_set");
    EXPECT_EQ(find(bare.measurements, "top1").n, 2U);
    EXPECT_DOUBLE_EQ(*find(bare.measurements, "top1").value, 1.0);
    // A gate with only the metric's name applies to it, and its result says which definition was
    // used.
    const GateResult gate = check_gate(parse_gate("top1 >= 1"), bare.measurements);
    EXPECT_TRUE(gate.passed);
    EXPECT_EQ(gate.definition, "top1.first_index.only_valid");
    // The same if the data set has its own label sets.
    const auto sets = scored(
        save(folder, with_sets(60, 4, 1), "sets", StorageFormat::full_f32, 100, false, "runs2"),
        asking({"top1"}));
    EXPECT_EQ(sets.measurements[0].key.definition, "top1.first_index.only_valid");
    // With single labels, or without any, no other labels are used.
    const auto single =
        scored(save(folder, made_up(60, 4, 1), "one", StorageFormat::full_f32, 100, false, "runs3"),
               asking({"top1"}));
    EXPECT_EQ(single.measurements[0].key.definition, "top1.first_index");
}

TEST(Multilabel, Gates) {
    Scratch folder;
    const auto report = scored(save(folder, with_sets(500, 20, 6), "net"), asking(everything));
    EXPECT_TRUE(check_gate(parse_gate("asma >= 0"), report.measurements).passed);
    EXPECT_TRUE(check_gate(parse_gate("low(asma.jaccard) > 1%"), report.measurements).passed);
    EXPECT_FALSE(check_gate(parse_gate("subgroup_accuracy:g=5 > 1"), report.measurements).passed);
    EXPECT_THROW(check_gate(parse_gate("asma:subgroups=1,2 >= 0"), report.measurements),
                 Error);                                          // a different mean
    EXPECT_THROW(parse_gate("subgroup_accuracy >= 0.5"), Error);  // the reference is ambiguous
    EXPECT_TRUE(parse_gate("asma.hamming.delta >= 0").delta);
    EXPECT_EQ(parse_gate("asma:subgroups=2,3,4 >= 0.5").metric.text(), "asma:subgroups=2-4");
}

// Top-1 and the subgroup with one label have the same images here. So they have the same
// difference, test and verdict.
TEST(MultilabelCompare, OneDifferenceHasOneVerdict) {
    Scratch folder;
    const Made first = with_sets(900, 12, 5, 10);
    Made second = first;
    RandomStream random(4, "noise");
    for (float& x : second.scores) x += random.uniform() < 0.08 ? 1.5F : 0.0F;
    CompareOptions options;
    options.score = asking({"top1", "subgroup_accuracy:g=1", "asma:subgroups=1"});
    const PairReport report =
        compared(save(folder, first, "a"), save(folder, second, "b"), options);
    const PairedMetric& top1 = report.metrics[0];
    ASSERT_TRUE(top1.counts && top1.p);
    for (const PairedMetric& m : report.metrics) {
        EXPECT_EQ(*m.difference.value, *top1.difference.value);
        EXPECT_EQ(m.difference.interval, top1.difference.interval);
        EXPECT_EQ(m.p, top1.p);
        EXPECT_EQ(m.test, "mcnemar.exact");
        EXPECT_EQ(m.verdict, top1.verdict);
    }
}

TEST(MultilabelCompare, LabelSetsDoNotMoveTheSingleLabels) {
    Scratch folder;
    const Made first = made_up(300, 4, 1), second = made_up(300, 4, 2);
    const auto a = save(folder, first, "a"), b = save(folder, second, "b");
    CompareOptions options;
    options.score = asking({"top1", "nll"});
    const PairReport without = compared(a, b, options);
    options.score.labels.emplace();
    for (std::size_t i = 0; i < first.rows(); ++i)
        options.score.labels->append(Set{static_cast<std::int32_t>(i % 4)});
    const PairReport with = compared(a, b, options);
    for (std::size_t i = 0; i < with.metrics.size(); ++i) {
        EXPECT_EQ(with.metrics[i].difference.value, without.metrics[i].difference.value);
        EXPECT_EQ(with.metrics[i].p, without.metrics[i].p);
        EXPECT_EQ(with.metrics[i].candidate.key, without.metrics[i].candidate.key);
    }
}

TEST(MultilabelCompare, DifferencesIntervalsAndTests) {
    Scratch folder;
    const Made first = with_sets(1200, 30, 8, 10);
    Made second = first;
    RandomStream random(2, "noise");
    for (float& x : second.scores) x += random.uniform() < 0.05 ? 1.0F : 0.0F;
    const auto a = save(folder, first, "a"), b = save(folder, second, "b");
    CompareOptions options;
    options.score = asking(everything);
    const PairReport report = compared(a, b, options);
    const Plain one = plain(first), two = plain(second);
    for (const PairedMetric& m : report.metrics) {
        const auto& key = m.candidate.key;
        ASSERT_TRUE(m.difference.value) << key.definition;
        ASSERT_TRUE(m.difference.interval) << key.definition;
        ASSERT_TRUE(m.p) << key.definition;
        EXPECT_NEAR(*m.difference.value, *m.candidate.value - *m.baseline.value, 1e-15);
        EXPECT_LE(m.difference.interval->low, *m.difference.value) << key.definition;
        EXPECT_GE(m.difference.interval->high, *m.difference.value) << key.definition;
        const double width = m.difference.interval->high - m.difference.interval->low;
        EXPECT_GT(width, 0) << key.definition;
        // The paired interval is narrower than one from two independent values.
        EXPECT_LT(width, 1.1 * (m.baseline.interval->high - m.baseline.interval->low))
            << key.definition;
    }
    // ASMA's standard error is computed by hand from the differences of the images.
    double difference = 0, error2 = 0;
    for (std::size_t g = 1; g <= 5; ++g) {
        const auto &x = one.agreement.at(g), &y = two.agreement.at(g);
        const auto n = static_cast<double>(x.size());
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += y[i][0] - x[i][0];
        for (std::size_t i = 0; i < x.size(); ++i)
            squares += std::pow(y[i][0] - x[i][0] - sum / n, 2);
        difference += sum / n / 5;
        error2 += squares / (n - 1) / n / 25;
    }
    const PairedMetric& asma = report.metrics.at(1);
    EXPECT_NEAR(*asma.difference.value, difference, 1e-12);
    EXPECT_EQ(asma.test, "paired.t");
    EXPECT_NEAR(*asma.p, 2 * (1 - normal_cdf(std::abs(difference) / std::sqrt(error2))), 0.01);
    EXPECT_NEAR(asma.difference.interval->high - asma.difference.interval->low,
                2 * 1.96 * std::sqrt(error2), 0.15 * 4 * std::sqrt(error2));

    const PairReport same = compared(a, a, options);
    for (const PairedMetric& m : same.metrics) {
        EXPECT_EQ(m.difference.value, 0.0);
        EXPECT_EQ(m.p, 1.0) << m.candidate.key.definition;
        EXPECT_LE(m.difference.interval->low, 0);
        EXPECT_GE(m.difference.interval->high, 0);
    }
    EXPECT_TRUE(check_gate(parse_gate("low(asma.delta) >= -0.5"), report).passed);
    EXPECT_FALSE(check_gate(parse_gate("subgroup_accuracy:g=2.delta > 0.9"), report).passed);
}

// Two classifiers of the same images, which find a label with the probabilities .75 and .65. Both
// share a random number of the image.
TEST(MultilabelCompare, IntervalsCoverWithASubgroupOfThirtyImages) {
    const std::vector<std::pair<std::uint32_t, int>> sizes{{1, 200}, {2, 100}, {3, 50}, {4, 30}};
    const auto request = parse_metric("asma:subgroups=1-4");
    RandomStream random(3, "pairs");
    int covered = 0, rejected = 0;
    constexpr int trials = 1500;
    for (int trial = 0; trial < trials; ++trial) {
        ScoredSet a, b;
        std::vector<std::uint32_t> labels;
        double one = 0, two = 0;
        for (const auto& [g, n] : sizes) {
            for (int i = 0; i < n; ++i) {
                ItemRecord x, y;
                x.hits = y.hits = 0;
                for (std::uint32_t k = 0; k < g; ++k) {
                    const double luck =
                        // the random number of a label is the same for both in half of the cases
                        random.uniform();
                    x.hits += luck < 0.75 ? 1 : 0;
                    y.hits += (random.uniform() < 0.5 ? luck : random.uniform()) < 0.65 ? 1 : 0;
                }
                a.records.push_back(x);
                b.records.push_back(y);
                labels.push_back(g);
                one += static_cast<double>(x.hits) / g / n / 4;
                two += static_cast<double>(y.hits) / g / n / 4;
            }
        }
        PairedMetric pair;
        pair.baseline.value = one;
        pair.candidate.value = two;
        agreement_difference(pair, request, labels, 1000, a, b, 0.95);
        covered +=
            pair.difference.interval->low <= -0.1 && -0.1 <= pair.difference.interval->high ? 1 : 0;
        rejected += pair.p && *pair.p < 0.05 ? 1 : 0;
    }
    // The standard error of the coverage is .0056 at .95.
    EXPECT_GT(static_cast<double>(covered) / trials, 0.933);
    EXPECT_LT(static_cast<double>(covered) / trials, 0.975);
    EXPECT_GT(rejected, trials / 2);  // a difference of ten points is detected
}

TEST(MultilabelCompare, NoVerdictFromDifferencesThatDoNotVary) {
    ScoredSet a, b;
    ItemRecord x, y;
    x.hits = 1;
    y.hits = 2;
    for (int i = 0; i < 3; ++i) {
        a.records.push_back(x);
        b.records.push_back(y);
    }
    PairedMetric pair;
    pair.baseline.value = 0.5;
    pair.candidate.value = 1;
    agreement_difference(pair, parse_metric("asma:subgroups=2"),
                         std::vector<std::uint32_t>{2, 2, 2}, 10, a, b, 0.95);
    EXPECT_EQ(pair.difference.value, 0.5);
    EXPECT_FALSE(pair.p);
    EXPECT_LT(pair.difference.interval->low, 0.2);  // three images are too few to decide
    EXPECT_GT(pair.difference.interval->high, 0.9);
}

ScoreReport report_of(const std::string& model, const std::string& dataset,
                      std::optional<double> value) {
    ScoreReport report;
    report.model = model;
    report.dataset = dataset;
    Measurement m;
    m.key.metric = "asma";
    m.key.definition = "asma.recall";
    m.key.model = model;
    m.key.dataset = dataset;
    m.value = value;
    m.n = 100;
    m.left_out = 3;
    if (!value) m.undefined = "made up";
    report.measurements.push_back(m);
    return report;
}

TEST(Across, MeanSpreadAndInterval) {
    // .5 .6 .7 have mean .6 and deviation .1; t(.975, 2) = 4.302653: .6 +- 4.302653 * .1 / sqrt(3).
    const std::vector<ScoreReport> reports{report_of("net", "seed1", 0.5),
                                           report_of("other", "seed1", 0.9),
                                           report_of("net", "seed2", 0.6),
                                           report_of("net", "seed3", 0.7),
                                           report_of("other", "seed2", std::nullopt),
                                           report_of("few", "seed2", 0.8)};
    const auto results = score_across(reports, "seed*", 0.95);
    ASSERT_EQ(results.size(), 3U);
    const AcrossResult& net = results[0];
    EXPECT_EQ(net.mean.key.model, "net");
    EXPECT_EQ(net.mean.key.dataset, "seed*");
    EXPECT_NEAR(*net.mean.value, 0.6, 1e-15);
    EXPECT_NEAR(*net.standard_deviation, 0.1, 1e-15);
    EXPECT_EQ(net.low, 0.5);
    EXPECT_EQ(net.high, 0.7);
    EXPECT_NEAR(net.mean.interval->low, 0.6 - 4.302652730 * 0.1 / std::sqrt(3), 1e-8);
    EXPECT_NEAR(net.mean.interval->high, 0.6 + 4.302652730 * 0.1 / std::sqrt(3), 1e-8);
    EXPECT_EQ(net.mean.n, 300U);
    EXPECT_EQ(net.mean.left_out, 9U);
    EXPECT_EQ(net.datasets, (std::vector<std::string>{"seed1", "seed2", "seed3"}));
    EXPECT_FALSE(results[1].mean.value);
    EXPECT_THAT(results[1].mean.undefined, HasSubstr("seed2: made up"));
    EXPECT_FALSE(
        results[2].mean.value);  // never a mean over fewer data sets than other models have
    EXPECT_THAT(results[2].mean.undefined, HasSubstr("seed1: it has no predictions"));
    EXPECT_EQ(results[2].values[1], 0.8);
    const auto json = to_json(net);
    EXPECT_EQ(json.at("datasets").size(), 3U);
    EXPECT_NEAR(json.at("standard_deviation").get<double>(), 0.1, 1e-15);
}

TEST(Across, OneDataSetTwiceAndTheEndsOfTheRange) {
    const auto one = score_across(std::vector{report_of("net", "a", 0.5)}, "a", 0.95);
    EXPECT_EQ(one[0].mean.value, 0.5);
    EXPECT_FALSE(one[0].standard_deviation);
    EXPECT_FALSE(one[0].mean.interval);
    EXPECT_FALSE(one[0].mean.note.empty());
    EXPECT_THROW(score_across(std::vector{report_of("net", "a", 0.5), report_of("net", "a", 0.5)},
                              "a", 0.95),
                 Error);
    const auto wide = score_across(
        std::vector{report_of("net", "a", 0.0), report_of("net", "b", 1.0)}, "*", 0.95);
    EXPECT_EQ(wide[0].mean.interval->low, 0);
    EXPECT_EQ(wide[0].mean.interval->high, 1);
    EXPECT_TRUE(score_across({}, "*", 0.95).empty());
}

// Reads every format of label sets for a store's items, and scores them.
class LabelFiles : public testing::Test {
protected:
    LabelFiles() {
        made_.classes = 3;
        made_.scores = {3, 2, 1,  //
                        3, 2, 1,  //
                        1, 2, 3,  //
                        1, 2, 3};
        made_.labels = {{0}, {0}, {0}, {0}};
        made_.ids = {"x/a.jpg", "x/b.jpg", "y/c.jpg", "y/d.jpg"};
    }
    // {0, 1}: both are found; {1}: missed; {}: excluded; {0, 2}: one of two. A_1 = 0, A_2 = .75.
    void expect_scored(const std::string& name, const std::string& content) {
        std::ofstream(folder_ / name, std::ios::binary) << content;
        const auto store =
            save(folder_, made_, "net", StorageFormat::full_f32, 100, false, "runs-" + name);
        ScoreOptions options = asking({"asma:subgroups=1,2", "real"});
        options.labels = read_label_sets(folder_ / name, store.dataset(), store.dataset().classes);
        const auto report = scored(store, options);
        EXPECT_DOUBLE_EQ(*report.measurements[0].value, 0.375) << name;
        EXPECT_DOUBLE_EQ(*report.measurements[1].value, 2.0 / 3) << name;
        EXPECT_EQ(report.measurements[1].left_out, 1U) << name;
        EXPECT_EQ(report.counts.multi_label, 2U) << name;
    }
    std::string refused(const std::string& name, const std::string& content) {
        std::ofstream(folder_ / name, std::ios::binary) << content;
        const Dataset dataset = dataset_of(made_);
        return message_of([&] { read_label_sets(folder_ / name, dataset, dataset.classes); });
    }
    Scratch folder_;
    Made made_;
};

TEST_F(LabelFiles, EveryFormat) {
    expect_scored("real.json", "[[0, 1], [1], [], [0, 2]]");
    expect_scored("files.json",
                  R"({"x/a.jpg": [0, 1], "b.jpg": 1, "y/c.jpg": [], "d.jpg": ["c0", "c2"]})");
    expect_scored("some.json",
                  // c is not listed, so it is excluded
                  R"({"x/a.jpg": [0, 1], "b.jpg": 1, "d.jpg": [0, 2]})");
    expect_scored("rows.csv", "image,label\nx/a.jpg,0\nx/a.jpg,1\nb.jpg,1\nd.jpg,0\nd.jpg,2\n");
    expect_scored("sets.csv", "image,labels\nx/a.jpg,0 1\nb.jpg,1\ny/c.jpg,\nd.jpg,0 2\n");
    std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 3), }";
    header.resize(117, ' ');
    const std::string npy = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" +
                            std::string("\1\1\0\0\1\0\0\0\0\1\0\1", 12);
    expect_scored("matrix.npy", npy);
}

TEST_F(LabelFiles, WhatIsWrongIsSaid) {
    EXPECT_THAT(refused("a.json", "[[0],[1],[2]]"), HasSubstr("3 rows for the 4 items"));
    EXPECT_THAT(refused("a.json", "[[0],[1],[2],[3]]"), HasSubstr("label 3"));
    EXPECT_THAT(refused("a.json", "[[0],[1],[2],[-1]]"), HasSubstr("-1"));
    EXPECT_THAT(refused("a.json", R"({"x/a.jpg": 7})"), HasSubstr("label 7"));
    EXPECT_THAT(refused("a.json", R"({"x/q.jpg": 0})"), HasSubstr("`x/q.jpg` is not an item"));
    EXPECT_THAT(refused("a.csv", "image,label\nx/a.jpg,3\n"), HasSubstr("line 2"));
    EXPECT_THAT(refused("a.csv", "image,label\nz/z.jpg,1\n"),
                HasSubstr("`z/z.jpg` is not an item"));
    EXPECT_THAT(refused("a.csv", "image\nx/a.jpg\n"), HasSubstr("no column of labels"));
}

}  // namespace
}  // namespace assay
