#include "assay/evaluate/gap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/score.h"
#include "evaluate/gap/gap_report_tables.h"
#include "message_of.h"
#include "saved_scores.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::size_t classes = 8;

// The data set's own labels are single. The label sets contain them and up to three more.
struct World {
    Made made;
    LabelSets sets;
};
World world(std::size_t rows, std::uint64_t seed, double skill, std::uint32_t most_labels = 4) {
    World w;
    w.made = made_up(rows, classes, seed, skill);
    RandomStream random(seed, "sets");
    for (std::size_t i = 0; i < rows; ++i) {
        std::vector<std::int32_t> set;
        const auto size = random.below(most_labels + 1);  // 0 means no valid label
        for (std::uint64_t k = 0; k < size; ++k) {
            // The image's own label, followed by the next classes in a circle, so all differ.
            set.push_back(static_cast<std::int32_t>(
                (static_cast<std::uint64_t>(w.made.labels[i][0]) + k) % classes));
        }
        w.sets.append(set);
    }
    return w;
}

// Another model's scores of the same images.
Made other_model(const World& w, std::uint64_t seed, double noise) {
    Made made = w.made;
    RandomStream random(seed, "noise");
    for (float& x : made.scores) x += static_cast<float>(noise * random.normal());
    return made;
}

struct Runs {
    Scratch folder;
    GapSide first{"V1", {}, {}}, second{"V2", {}, {}};

    // `save` calls its data set val, so each side has its own folder.
    // The images of the second side get different ids, unless the caller gives ids.
    void add(int set, Made made, const std::string& model,
             StorageFormat storage = StorageFormat::full_f32, bool but_last = false) {
        for (std::size_t i = made.ids.size(); set == 1 && i < made.rows(); ++i)
            made.ids.push_back(fmt::format("second{:05}", i));
        const PredictionStore store =
            save(folder, made, model, storage, 64, but_last, set == 0 ? "one" : "two");
        (set == 0 ? first : second).stores.push_back(store.folder());
    }
    GapReport report(const GapOptions& options = quick()) const {
        const auto comm = self_comm();
        return gap_of_stores(first, second, options, *comm);
    }
    static GapOptions quick() {
        GapOptions options;
        options.subgroups = "1-4";
        options.replicates = 200;
        return options;
    }
    std::string refused(const GapOptions& options = quick(),
                        ErrorCode code = ErrorCode::bad_input) const {
        return message_of([&] { report(options); }, code);
    }
};

// A slow reference that computes each image by itself.
struct Plain {
    double top1 = 0, real = 0, asma = 0;
    std::map<std::size_t, double> agreement;
};
Plain plain(const Made& made, const LabelSets& sets) {
    Plain p;
    double labelled = 0;
    std::map<std::size_t, double> count;
    for (std::size_t i = 0; i < made.rows(); ++i) {
        const std::vector<float> row(
            made.scores.begin() + static_cast<std::ptrdiff_t>(i * made.classes),
            made.scores.begin() + static_cast<std::ptrdiff_t>((i + 1) * made.classes));
        std::vector<std::int32_t> order(made.classes);
        for (std::size_t c = 0; c < order.size(); ++c) order[c] = static_cast<std::int32_t>(c);
        std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
        });
        p.top1 += order[0] == made.labels[i][0];
        if (sets[i].empty()) continue;
        const std::size_t g = sets[i].size();
        labelled += 1;
        count[g] += 1;
        p.real += sets.contains(i, order[0]);
        for (std::size_t k = 0; k < g; ++k)
            p.agreement[g] += sets.contains(i, order[k]) ? 1.0 / static_cast<double>(g) : 0;
    }
    p.top1 /= static_cast<double>(made.rows());
    p.real /= labelled;
    for (auto& [g, sum] : p.agreement) {
        sum /= count[g];
        p.asma += sum / static_cast<double>(p.agreement.size());
    }
    return p;
}

TEST(DatasetGap, AgainstImageByImage) {
    Runs runs;
    const World one = world(500, 1, 2.5), two = world(300, 2, 1.5);
    runs.first.sets = one.sets;
    runs.second.sets = two.sets;
    runs.add(0, one.made, "a");
    runs.add(1, two.made, "a");
    const GapReport report = runs.report();
    const Plain p1 = plain(one.made, one.sets), p2 = plain(two.made, two.sets);
    const auto& m = report.models.at(0).metrics;
    EXPECT_NEAR(*m[0].first.value, p1.top1, 1e-12);
    EXPECT_NEAR(*m[0].second.value, p2.top1, 1e-12);
    EXPECT_NEAR(*m[1].gap.value, p1.real - p2.real, 1e-12);
    EXPECT_NEAR(*m[2].first.value, p1.asma, 1e-12);
    EXPECT_NEAR(*m[2].gap.value, p1.asma - p2.asma, 1e-12);
    for (const GapSubgroup& s : report.models[0].subgroups)
        EXPECT_NEAR(*s.agreement.second.value, p2.agreement.at(s.labels), 1e-12) << s.labels;
    EXPECT_NEAR(*report.models[0].decomposition.composition.value +
                    *report.models[0].decomposition.within.value,
                p1.top1 - p2.top1, 1e-12);

    std::array<std::uint64_t, 5> histogram{};
    for (std::size_t i = 0; i < one.sets.size(); ++i) ++histogram[one.sets[i].size()];
    EXPECT_EQ(report.sets[0].none, histogram[0]);
    EXPECT_THAT(report.sets[0].with_labels,
                ElementsAre(histogram[1], histogram[2], histogram[3], histogram[4], 0));
    EXPECT_EQ(report.sets[0].single, 500U);
    EXPECT_FALSE(report.partial);
    EXPECT_TRUE(report.warnings.empty());
}

TEST(DatasetGap, OwnLabelsMakeTheThreeMetricsOne) {
    Runs runs;
    runs.add(0, made_up(200, classes, 1, 3), "a");
    runs.add(1, made_up(200, classes, 2, 1), "a");
    GapOptions options = Runs::quick();
    EXPECT_FALSE(runs.report(options).average.metrics[2].gap.value);  // no image has two labels
    options.subgroups = "present";
    const GapReport report = runs.report(options);
    EXPECT_THAT(report.subgroups, ElementsAre(1));
    EXPECT_DOUBLE_EQ(*report.models[0].metrics[2].gap.value,
                     *report.models[0].metrics[0].gap.value);
    EXPECT_NEAR(*report.average.decomposition.composition.value, 0, 1e-15);
}

TEST(DatasetGap, PresentMeansInBoth) {
    Runs runs;
    const World one = world(300, 1, 2), two = world(300, 2, 2, 2);
    runs.first.sets = one.sets;
    runs.second.sets = two.sets;
    runs.add(0, one.made, "a");
    runs.add(1, two.made, "a");
    GapOptions options = Runs::quick();
    const GapReport some = runs.report(options);
    EXPECT_TRUE(some.average.metrics[2].first.value);
    EXPECT_EQ(some.average.metrics[2].gap.undefined,
              "V2: no item has 3,4 labels; use subgroups=1,2 or absent=skipped");
    // images without a counterpart on V2 appear as composition
    EXPECT_LT(*some.average.decomposition.within.value, 1);
    EXPECT_NE(*some.average.decomposition.unmatched.value, 0);
    options.subgroups = "present";
    const GapReport report = runs.report(options);
    EXPECT_THAT(report.subgroups, ElementsAre(1, 2));
    EXPECT_TRUE(report.average.metrics[2].gap.value);
}

// `present` selects every number of labels that occurs, both in gap and in score. If other
// numbers are given, it keeps those that occur.
TEST(DatasetGap, PresentIsTheSameInScore) {
    Runs runs;
    const World one = world(300, 1, 2, 7), two = world(300, 2, 2, 7);
    runs.first.sets = one.sets;
    runs.second.sets = two.sets;
    runs.add(0, one.made, "a");
    runs.add(1, two.made, "a");
    const auto store = PredictionStore::open(runs.first.stores[0]);
    const auto score = [&](const std::vector<std::string>& subgroups) {
        MeasureOptions measure;
        measure.metrics = {"asma"};
        measure.subgroups = subgroups;
        ScoreOptions options = resolve(measure, store);
        options.labels = one.sets;
        return score_store(store, options, *self_comm()).measurements.at(0);
    };
    GapOptions options = Runs::quick();
    options.subgroups = "present";
    const GapReport all = runs.report(options);
    EXPECT_THAT(all.subgroups, ElementsAre(1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(*all.models[0].metrics[2].first.value, *score({"present"}).value);
    options.subgroups = "2-3,60,present";
    const GapReport some = runs.report(options);
    EXPECT_THAT(some.subgroups, ElementsAre(2, 3));
    EXPECT_EQ(*some.models[0].metrics[2].first.value, *score({"2-3", "60", "present"}).value);
    EXPECT_NE(*score({"present"}).value, *score({"1-5"}).value);
    EXPECT_THAT(score({"2-3", "60", "present"}).note, HasSubstr("over images with 2,3 labels"));
}

// One image in thirty-one (3.2 %) has a single own label, which is too few for top-1.
TEST(DatasetGap, ASliverOfSingleLabelsHasNoTop1) {
    Runs runs;
    World one = world(310, 1, 2), two = world(310, 2, 2);
    for (World* w : {&one, &two}) {
        for (std::size_t i = 0; i < w->made.rows(); ++i) {
            const auto c = w->made.labels[i][0];
            if (i % 31 != 0) w->made.labels[i] = {c, static_cast<std::int32_t>((c + 1) % 8)};
        }
    }
    runs.add(0, one.made, "a");
    runs.add(0, other_model(one, 1, 1), "b");
    runs.add(1, two.made, "a");
    runs.add(1, other_model(two, 2, 1), "b");
    GapOptions options = Runs::quick();
    options.subgroups = "1-2";
    const GapReport report = runs.report(options);
    EXPECT_EQ(report.average.metrics[0].gap.undefined,
              "10 of 310 labelled images of V1 have a single label, less than 5 %");
    EXPECT_FALSE(report.average.decomposition.within.value);
    EXPECT_THAT(report.average.decomposition.within.undefined, HasSubstr("less than 5 %"));
    EXPECT_TRUE(report.average.metrics[2].gap.value);
    EXPECT_EQ(report.models[0].ranks[0][0].rank, 0U);
    EXPECT_GE(*report.models[0].metrics[2].first.value, *report.models[1].metrics[2].first.value);
    EXPECT_TRUE(report.sets[0].only_valid);
    // A further data set does not have one, either.
    const auto comm = self_comm();
    const GapAlso also = also_of_stores(runs.second, report, "1-2", *comm);
    EXPECT_EQ(also.models[0][0].undefined,
              "10 of 310 labelled images of V2 have a single label, less than 5 %");
    EXPECT_FALSE(also.models[0][0].value || also.models[0][0].interval);
    EXPECT_TRUE(also.models[0][1].value);
    options.slivers = true;
    const GapReport all = runs.report(options);
    EXPECT_EQ(all.average.metrics[0].first.n, 10U);
    EXPECT_EQ(also_of_stores(runs.second, all, "1-2", *comm).models[0][0].n, 10U);
}

TEST(DatasetGap, SaysWhereOnlyOneDataSetHasSingleLabels) {
    Runs runs;
    World one = world(200, 1, 2), two = world(200, 2, 2);
    for (std::size_t i = 0; i < 100; ++i) two.made.labels[i].push_back(7);
    for (auto& set : two.made.labels) {
        std::sort(set.begin(), set.end());
        set.erase(std::unique(set.begin(), set.end()), set.end());
    }
    runs.add(0, one.made, "a");
    runs.add(1, two.made, "a");
    EXPECT_THAT(runs.report().warnings,
                testing::Contains(HasSubstr("V2 has no single labels of its own")));
}

TEST(DatasetGap, ModelsAreMatchedByNameAndTheOthersListed) {
    Runs runs;
    const World one = world(150, 1, 2), two = world(150, 2, 2);
    for (const char* name : {"a", "b", "only-one"})
        runs.add(0, other_model(one, name[0], 0.5), name);
    for (const char* name : {"b", "a", "only-two"})
        runs.add(1, other_model(two, name[0], 0.5), name);
    const GapReport report = runs.report();
    EXPECT_EQ(report.models.size(), 2U);
    EXPECT_THAT(report.sets[0].only_here, ElementsAre("only-one"));
    EXPECT_THAT(report.sets[1].only_here, ElementsAre("only-two"));
    EXPECT_THAT(report.warnings,
                ElementsAre(HasSubstr("V1 only: only-one"), HasSubstr("V2 only: only-two")));
    Runs none;
    none.add(0, one.made, "x");
    none.add(1, two.made, "y");
    EXPECT_EQ(none.refused(), "no model has scores on both V1 and V2: V1 has x; V2 has y");
}

TEST(DatasetGap, ImagesWithoutScoresAreCounted) {
    Runs runs;
    World one = world(200, 1, 2);
    const World two = world(200, 2, 2);
    one.made.states.assign(200, RowState::ok);
    one.made.states[3] = RowState::unreadable;
    one.made.states[70] = RowState::not_finite;
    runs.add(0, one.made, "a");
    runs.add(1, two.made, "a", StorageFormat::full_f32,
             true);  // 200 = 3 * 64 + 8, and the last shard is missing
    const GapReport report = runs.report();
    EXPECT_TRUE(report.partial);
    EXPECT_EQ(report.models[0].not_scored[0], 2U);
    EXPECT_EQ(report.models[0].not_scored[1], 8U);
    EXPECT_EQ(report.models[0].metrics[0].first.n, 198U);
    EXPECT_EQ(report.models[0].metrics[0].second.n, 192U);
    EXPECT_EQ(report.warnings.size(), 2U);
}

TEST(DatasetGap, ReducedStoresSayWhatTheyCannotTell) {
    const World one = world(400, 1, 2), two = world(300, 2, 2);
    const auto run = [&](StorageFormat storage) {
        Runs runs;
        runs.first.sets = one.sets;
        runs.second.sets = two.sets;
        runs.add(0, one.made, "a", storage);
        runs.add(1, two.made, "a", storage);
        return runs.report();
    };
    const GapReport full = run(StorageFormat::full_f32), half = run(StorageFormat::full_f16),
                    best = run(StorageFormat::top_k), label = run(StorageFormat::label);
    for (const GapReport* report : {&best, &label}) {
        EXPECT_EQ(*report->models[0].metrics[0].gap.value, *full.models[0].metrics[0].gap.value);
        EXPECT_EQ(*report->models[0].metrics[1].gap.value, *full.models[0].metrics[1].gap.value);
        EXPECT_FALSE(report->models[0].metrics[2].gap.value);
    }
    EXPECT_NEAR(*half.models[0].metrics[2].first.value, *full.models[0].metrics[2].first.value,
                0.01);
    // Two classes are kept, which is enough for one and for two labels.
    EXPECT_EQ(*best.models[0].subgroups[1].agreement.gap.value,
              *full.models[0].subgroups[1].agreement.gap.value);
    EXPECT_EQ(best.models[0].subgroups[2].agreement.first.undefined,
              "V1: the store keeps only the best 2 of each row, so the best 3 are unknown");
    EXPECT_TRUE(label.models[0].subgroups[0].agreement.gap.value);
    EXPECT_FALSE(label.models[0].subgroups[1].agreement.gap.value);
}

TEST(DatasetGap, SameBitsForAnyNumberOfThreads) {
    Runs runs;
    const World one = world(700, 1, 2), two = world(500, 2, 1.5);
    runs.first.sets = one.sets;
    runs.second.sets = two.sets;
    for (int m = 0; m < 3; ++m) {
        runs.add(0, other_model(one, static_cast<std::uint64_t>(m), 0.3 * m), std::to_string(m));
        runs.add(1, other_model(two, static_cast<std::uint64_t>(m), 0.3 * m), std::to_string(m));
    }
    GapOptions options = Runs::quick();
    std::string first;
    for (const int threads : {1, 2, 7}) {
        options.threads = threads;
        const std::string text = to_json(runs.report(options)).dump();
        if (first.empty()) first = text;
        EXPECT_EQ(text, first);
    }
}

TEST(DatasetGap, SameBitsForAnyNumberOfRanks) {
    Runs runs;
    World one = world(700, 1, 2);
    const World two = world(500, 2, 1.5);
    one.made.states.assign(700, RowState::ok);
    one.made.states[3] = RowState::unreadable;
    runs.first.sets = one.sets;
    runs.second.sets = two.sets;
    for (int m = 0; m < 2; ++m) {
        runs.add(0, other_model(one, static_cast<std::uint64_t>(m), 0.3 * m), std::to_string(m));
        runs.add(1, other_model(two, static_cast<std::uint64_t>(m), 0.3 * m), std::to_string(m));
    }
    const std::string alone = to_json(runs.report()).dump();
    // the stores have 3 and 2 blocks of rows, so some ranks have no block
    for (const int ranks : {2, 3, 7}) {
        run_thread_ranks(ranks, [&](Comm& comm) {
            const GapReport report = gap_of_stores(runs.first, runs.second, Runs::quick(), comm);
            EXPECT_EQ(to_json(report).dump(), alone) << ranks;
        });
    }
}

const Estimate& agreement(const GapModel& model, std::uint32_t labels) {
    for (const GapSubgroup& s : model.subgroups) {
        if (s.labels == labels) return s.agreement.first;
    }
    throw std::runtime_error("no such subgroup");
}

void expect_same(const Estimate& one, const Estimate& two, const std::string& what) {
    ASSERT_TRUE(one.value && two.value) << what << one.undefined << two.undefined;
    EXPECT_EQ(*one.value, *two.value) << what;
    EXPECT_EQ(one.n, two.n) << what;
    EXPECT_EQ(one.unit, two.unit) << what;
    ASSERT_TRUE(one.interval && two.interval) << what;
    EXPECT_EQ(*one.interval, *two.interval) << what;
}

// gap, score and compare use one engine: the same stores give bit-identical values and intervals.
TEST(DatasetGap, AgreesWithScoreAndCompareToTheLastBit) {
    const World one = world(600, 1, 2), two = world(400, 2, 1.5);
    for (const std::string kind : {"recall", "jaccard", "hamming"}) {
        Runs runs;
        runs.first.sets = one.sets;
        runs.second.sets = two.sets;
        runs.add(0, one.made, "a");
        runs.add(0, other_model(one, 5, 0.7), "b");
        runs.add(1, two.made, "a");
        runs.add(1, other_model(two, 6, 0.7), "b");
        GapOptions options = Runs::quick();
        options.agreement = kind;
        const GapReport gap = runs.report(options);

        ScoreOptions own, sets;
        own.metrics = {parse_metric("top1")};
        sets.labels = one.sets;
        const std::string agreement_text = ":agreement=" + kind;
        sets.metrics = {parse_metric("real"),
                        parse_metric("asma" + agreement_text + ",subgroups=1-4")};
        // Top-1 is the same with and without the label sets.
        const MetricRequest last = parse_metric("top1");
        for (int g = 1; g <= 4; ++g)
            sets.metrics.push_back(
                parse_metric("subgroup_accuracy" + agreement_text + ",g=" + std::to_string(g)));
        sets.metrics.push_back(last);
        const auto comm = self_comm();
        std::vector<PredictionStore> stores;
        for (const GapModel& model : gap.models) {
            for (const auto& folder : runs.first.stores) {
                PredictionStore store = PredictionStore::open(folder);
                if (store.spec().model_name == model.name) stores.push_back(std::move(store));
            }
        }
        ASSERT_EQ(stores.size(), 2U);
        const auto check = [&](const GapModel& model, const Measurement& top1,
                               std::span<const Measurement> by_sets, const std::string& from) {
            expect_same(model.metrics[0].first, top1, from + " top1 " + kind);
            expect_same(model.metrics[1].first, by_sets[0], from + " real " + kind);
            expect_same(model.metrics[2].first, by_sets[1], from + " asma " + kind);
            for (std::uint32_t g = 1; g <= 4; ++g)
                expect_same(agreement(model, g), by_sets[1 + g], from + " subgroup " + kind);
            expect_same(top1, by_sets.back(), from + " top1 with label sets " + kind);
            EXPECT_EQ(top1.key, by_sets.back().key);
        };
        for (std::size_t m = 0; m < 2; ++m) {
            check(gap.models[m], score_store(stores[m], own, *comm).measurements.at(0),
                  score_store(stores[m], sets, *comm).measurements, "score");
        }
        CompareOptions by_own, by_sets;
        by_own.score = own;
        by_sets.score = sets;
        const std::vector<const PredictionStore*> candidates{&stores[1]};
        const auto top1 = compare_stores(stores[0], candidates, by_own, *comm),
                   real = compare_stores(stores[0], candidates, by_sets, *comm);
        std::array<std::vector<Measurement>, 2> sides;
        for (const PairedMetric& pair : real.at(0).metrics) {
            sides[0].push_back(pair.baseline);
            sides[1].push_back(pair.candidate);
        }
        check(gap.models[0], top1.at(0).metrics.at(0).baseline, sides[0], "compare");
        check(gap.models[1], top1.at(0).metrics.at(0).candidate, sides[1], "compare");
    }
}

TEST(DatasetGap, WarnsWhenLabelSetsAreMostlyEmpty) {
    Runs runs;
    const World one = world(100, 1, 2), two = world(90, 2, 2);
    LabelSets few;
    for (std::int32_t i = 0; i < 100; ++i)
        few.append(i < 66 ? std::vector<std::int32_t>{1} : std::vector<std::int32_t>());
    runs.first.sets = few;
    runs.second.sets = two.sets;
    runs.add(0, one.made, "a");
    runs.add(1, two.made, "a");
    EXPECT_THAT(runs.report().warnings,
                ElementsAre(HasSubstr("34 of 100 images of V1 have no valid label")));
}

TEST(DatasetGap, SubgroupsAndAgreementsAreTheMetrics) {
    const World one = world(50, 1, 2), two = world(50, 2, 2);
    Runs runs;
    runs.add(0, one.made, "a");
    runs.add(1, two.made, "a");
    GapOptions options = Runs::quick();
    options.subgroups = "3,1-2";
    EXPECT_THAT(runs.report(options).subgroups, ElementsAre(1, 2, 3));
    for (const char* text : {"", "0", "5-1", "1-", "-3", "1,,2", "x", "1-1000"}) {
        options.subgroups = text;
        EXPECT_THAT(runs.refused(options, ErrorCode::usage),
                    HasSubstr("numbers and ranges from 1 to 64"))
            << text;
    }
    options = Runs::quick();
    options.agreement = "jacard";
    EXPECT_THAT(runs.refused(options, ErrorCode::usage), HasSubstr("`jaccard`"));
}

TEST(DatasetGap, Refusals) {
    const World one = world(100, 1, 2), two = world(90, 2, 2);
    Runs runs;
    runs.add(0, one.made, "a");
    runs.add(1, two.made, "a");
    runs.first.sets = two.sets;
    EXPECT_EQ(runs.refused(), "90 label sets for 100 images of val");
    LabelSets outside;
    for (int i = 0; i < 100; ++i) outside.append(std::vector<std::int32_t>{1, 8});
    runs.first.sets = outside;
    EXPECT_THAT(runs.refused(), HasSubstr("label 8 of image 0 of val is outside the 8 classes"));

    Runs wide;
    wide.add(0, one.made, "a");
    wide.add(1, made_up(90, classes + 1, 2), "a");
    EXPECT_THAT(wide.refused(), HasSubstr("8 classes on V1 but 9 on V2"));

    Runs twice;
    twice.add(0, one.made, "a");
    twice.first.stores.push_back(twice.first.stores[0]);
    twice.add(1, two.made, "a");
    EXPECT_THAT(twice.refused(Runs::quick(), ErrorCode::usage),
                HasSubstr("two stores of model `a`"));

    Runs damaged;
    damaged.add(0, one.made, "a");
    damaged.add(1, two.made, "a");
    {
        std::fstream file(damaged.first.stores[0] / "shards/000001.npy",
                          std::ios::in | std::ios::out);
        file.seekp(300);
        file << "damage";
    }
    EXPECT_THAT(damaged.refused(), HasSubstr("000001"));
}

// Data sets that cannot be compared have no gap.
TEST(DatasetGap, UnlikeThings) {
    World one = world(100, 1, 2), two = world(90, 2, 2);
    for (std::size_t i = 0; i < 100; ++i) one.made.ids.push_back(fmt::format("item{:05}", i));
    Runs half;
    half.first.sets = one.sets;
    half.add(0, one.made, "a");
    half.add(1, two.made, "a");
    EXPECT_EQ(half.refused(Runs::quick(), ErrorCode::usage),
              "V1 has label sets and V2 single labels: ReaL and ASMA would use different "
              "definitions of correct; add --labels2 LABELS, or omit --labels1");

    // The same data set twice.
    Runs twice;
    twice.add(0, one.made, "a");
    twice.add(1, one.made, "a");
    const GapReport same = twice.report();
    EXPECT_THAT(same.warnings,
                testing::Contains(testing::AllOf(HasSubstr("V1 and V2 are the same images"),
                                                 HasSubstr("they are wrong"))));
    EXPECT_TRUE(same.average.differences.empty());
    twice.first.sets = one.sets;
    twice.second.sets = one.sets;
    EXPECT_THAT(twice.refused(Runs::quick(), ErrorCode::usage),
                HasSubstr("V1 and V2 are the same images under two sets of labels"));
    // Other labels have the same ids. Nothing shows whether the images are the same.
    Made relabelled = one.made;
    for (auto& labels : relabelled.labels) labels = {(labels[0] + 1) % 8};
    Runs other;
    other.add(0, one.made, "a");
    other.add(1, relabelled, "a");
    EXPECT_THAT(other.report().warnings,
                testing::Contains(HasSubstr("have the same ids but different labels")));

    // One data set has its own label sets, and the other has single labels.
    Runs mixed;
    World several = two;
    for (std::size_t i = 0; i < 40; ++i) several.made.labels[i] = {0, 7};
    mixed.add(0, one.made, "a");
    mixed.add(1, several.made, "a");
    EXPECT_THAT(
        mixed.report().warnings,
        testing::Contains(HasSubstr("V2 is scored with sets of labels and V1 with single")));
}

// If the further data set has the same stores as the first, its values are equal.
TEST(GapStores, AFurtherDataSet) {
    const World one = world(300, 1, 2.0), two = world(200, 2, 1.5);
    Runs runs;
    runs.add(0, one.made, "a");
    runs.add(0, other_model(one, 3, 1.0), "b");
    runs.add(1, two.made, "a");
    runs.add(1, other_model(two, 4, 1.0), "b");
    runs.first.sets = one.sets;
    runs.second.sets = two.sets;
    const auto comm = self_comm();
    const GapReport report = runs.report();
    GapSide third = runs.first;
    third.name = "V3";
    third.stores.pop_back();
    const GapAlso also = also_of_stores(third, report, "1-4", *comm);
    ASSERT_EQ(also.models.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t m = 0; m < 3; ++m) {
            const Estimate& value = also.models[i][m];
            if (report.models[i].name == "b") {
                EXPECT_EQ(value.undefined, "the model was not measured there");
                continue;
            }
            EXPECT_EQ(value.value, report.models[i].metrics[m].first.value) << m;
            EXPECT_EQ(value.n, report.models[i].metrics[m].first.n) << m;
        }
    }
    EXPECT_NE(also_of_stores(third, report, "1-2", *comm).models[0][2].value,
              also.models[0][2].value);
    EXPECT_EQ(also.subgroups, "1-4");
    // Every number of labels that occurs (1 to 4), and no others, because they would make the value
    // undefined.
    for (const char* text : {"present", "1-9,present"}) {
        const GapAlso present = also_of_stores(third, report, text, *comm);
        EXPECT_EQ(present.models[0][2].value, also.models[0][2].value) << text;
        EXPECT_EQ(present.subgroups, text);
    }
    EXPECT_FALSE(also_of_stores(third, report, "1-9", *comm).models[0][2].value);
}

// The whole request, in the form that the command makes.
TEST(GapStores, AFurtherDataSetOfThePresentSubgroups) {
    const World one = world(300, 1, 2.0), two = world(200, 2, 1.5), three = world(250, 3, 1.5);
    Runs runs;
    runs.add(0, one.made, "a");
    runs.add(1, two.made, "a");
    save(runs.folder, three.made, "a", StorageFormat::full_f32, 64, false, "three");
    GapRequest request;
    for (const GapSide* side : {&runs.first, &runs.second})
        request.sets.push_back(side->stores[0].parent_path().string());
    request.also = {(runs.folder / "three/val").string()};
    request.options = Runs::quick();
    request.options.subgroups = "present";
    const auto comm = self_comm();
    const GapReport report = run_gap(request, *comm);
    ASSERT_EQ(report.also.size(), 1U);
    EXPECT_TRUE(report.also[0].models[0][2].value);
    request.also_subgroups = "present,1-3";
    EXPECT_TRUE(run_gap(request, *comm).also[0].models[0][2].value);
    // An invalid list is found before any store is read.
    request.also_subgroups = "few";
    request.sets[0] = "nowhere";
    EXPECT_THAT(message_of([&] { check(request); }, ErrorCode::usage), HasSubstr("few"));
}

/// Two models on v1 and v2, and on composites of three seeds; "b" is not on the last of them.
struct SeedRuns {
    Scratch folder;
    GapRequest request;

    SeedRuns() {
        std::uint64_t seed = 1;
        for (const char* set : {"v1", "v2", "mix-seed1", "mix-seed2", "mix-seed3"}) {
            const World w = mixed(set, seed++);
            for (const char* model : {"a", "b"}) {
                if (std::string(set) + model == "mix-seed3b") continue;
                Made made = other_model(w, model[0], 0.7);
                save(folder, made, model);
            }
        }
        request.sets = {"v1", "v2"};
        request.runs = folder / "runs";
        request.options = Runs::quick();
    }
    /// Some images have several valid labels.
    static World mixed(const std::string& set, std::uint64_t seed) {
        World w = world(200, seed, 1.5);
        w.made.dataset = set;
        for (std::size_t i = 0; i < w.sets.size(); ++i)
            w.made.labels[i].assign(w.sets[i].begin(), w.sets[i].end());
        return w;
    }
    GapReport report() const { return run_gap(request, *self_comm()); }
};

// The mean of seeds has the bits of `score --across`, and those of an own mean.
TEST(GapOfFolders, AMeanOfSeedsIsAFurtherDataSet) {
    SeedRuns runs;
    runs.request.also = {"mix-seed*"};
    runs.request.rank_by = "asma_mix-seed*";
    const GapReport report = runs.report();
    ASSERT_EQ(report.also.size(), 1U);
    const GapAlso& also = report.also[0];
    EXPECT_EQ(also.name, "mix-seed*");

    ScoreRunsOptions options;
    options.paths = {runs.request.runs};
    options.across = "mix-seed*";
    options.measure.metrics = {"top1", "real", "asma"};
    options.measure.subgroups = {"1", "2", "3", "4"};
    const ScoreResult across = score_runs(options, *self_comm());
    runs.request.rank_by.clear();
    std::size_t compared = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t m = 1; m < 3; ++m) {
            const Estimate& mean = also.models[i][m];
            if (report.models[i].name == "b") {
                EXPECT_FALSE(mean.value || mean.interval);
                EXPECT_EQ(mean.undefined,
                          "no value on mix-seed3: it has no predictions of the model");
                continue;
            }
            const auto same = std::ranges::find_if(across.means, [&](const AcrossResult& one) {
                return one.mean.key.model == "a" && one.mean.key.metric == name_of(gap_metrics[m]);
            });
            ASSERT_NE(same, across.means.end());
            EXPECT_EQ(mean.value, same->mean.value);
            EXPECT_EQ(mean.interval, same->mean.interval);
            double sum = 0;
            for (const char* seed : {"mix-seed1", "mix-seed2", "mix-seed3"}) {
                runs.request.also = {seed};
                sum += *runs.report().also[0].models[i][m].value;
            }
            EXPECT_NEAR(*mean.value, sum / 3, 1e-12);
            ++compared;
        }
    }
    EXPECT_EQ(compared, 2U);
    ASSERT_EQ(report.ranking->places.size(), 1U);  // only "a" has a value
    EXPECT_EQ(report.models[report.ranking->places[0].model].name, "a");
    const auto json = to_json(report);
    EXPECT_EQ(json["also"][0]["means"][0]["datasets"].size(), 3U);
}

// A model outside the gap does not decide which data sets a mean is over.
TEST(GapOfFolders, ADataSetOfOtherModelsIsNotInTheMean) {
    SeedRuns runs;
    runs.request.also = {"mix-seed[124]"};
    const GapReport before = runs.report();
    save(runs.folder, SeedRuns::mixed("mix-seed4", 9).made, "c");
    const GapReport report = runs.report();
    ASSERT_EQ(report.models.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        ASSERT_TRUE(report.also[0].models[i][2].value);
        EXPECT_EQ(report.also[0].models[i][2].value, before.also[0].models[i][2].value);
        EXPECT_EQ(report.also[0].models[i][2].interval, before.also[0].models[i][2].interval);
    }
    EXPECT_THAT(report.warnings, testing::Contains(HasSubstr("mix-seed4 is not in the mean")));
    runs.request.also = {"mix-seed4*"};
    EXPECT_THAT(message_of([&] { runs.report(); }),
                HasSubstr("no model has scores on both v1 and mix-seed4"));
}

// One data set gives no interval, so the note of the table does not promise one.
TEST(GapOfFolders, APatternOfOneDataSetHasNoInterval) {
    SeedRuns runs;
    const auto notes = [&](const std::string& pattern) {
        runs.request.also = {pattern};
        std::string all;
        for (const std::string& note : gap_tables::places(runs.report(), true).notes)
            all += note + "\n";
        return all;
    };
    EXPECT_THAT(notes("mix-seed1*"), HasSubstr("mean over 1 data set (mix-seed1).\n"));
    EXPECT_THAT(notes("mix-seed[12]"),
                HasSubstr("mean over 2 data sets (mix-seed1, mix-seed2), with an interval"));
}

// A store that the pattern does not match may be damaged.
TEST(GapOfFolders, OnlyADamagedStoreOfAMatchedDataSetIsAnError) {
    SeedRuns runs;
    runs.request.also = {"mix-seed[12]"};
    const auto damage = [&](const char* set) {
        std::ofstream(runs.request.runs / set / "a/manifest.json") << "{";
    };
    damage("mix-seed3");
    EXPECT_EQ(runs.report().also[0].means.at(0).datasets.size(), 2U);
    damage("mix-seed2");
    EXPECT_THAT(message_of([&] { runs.report(); }), HasSubstr("mix-seed2"));
}

TEST(GapOfFolders, APatternNamesAFolderAndMatchesADataSet) {
    SeedRuns runs;
    const std::string below = runs.request.runs.string();
    runs.request.sets = {below + "/v1", below + "/v2"};
    runs.request.runs.clear();
    runs.request.also = {below + "/mix-seed[12]"};
    EXPECT_EQ(runs.report().also[0].means.at(0).datasets.size(), 2U);
    EXPECT_EQ(runs.report().also[0].name, "mix-seed[12]");
    const auto refused = [&](const std::string& also) {
        runs.request.also = {also};
        return message_of([&] { runs.report(); }, ErrorCode::usage);
    };
    EXPECT_THAT(refused(below + "/mixed*"), HasSubstr("`mixed*` matches none of the data sets"));
    EXPECT_THAT(refused("mix-seed*"), HasSubstr("name RUNS/PATTERN"));
    EXPECT_THAT(refused("nowhere/mix-seed*"), HasSubstr("not there (`nowhere`)"));
}

TEST(GapOfFolders, StoresOfAttacksAreSkipped) {
    const Scratch folder;
    for (const char* set : {"v1", "v2"}) {
        Made made = made_up(60, 4, 3);
        made.dataset = set;
        for (const char* model : {"net", "net@pgd-linf-8_255", "other"}) save(folder, made, model);
    }
    GapRequest request;
    request.sets = {(folder / "runs/v1").string(), (folder / "runs/v2").string()};
    request.options = Runs::quick();
    const GapReport report = run_gap(request, *self_comm());
    ASSERT_EQ(report.models.size(), 2U);
    EXPECT_EQ(report.models[1].name, "other");
    EXPECT_THAT(report.warnings,
                testing::IsSupersetOf({HasSubstr("v1: 1 store of an attack is skipped"),
                                       HasSubstr("v2: 1 store of an attack is skipped")}));
    for (std::string& set : request.sets) set += "/net@pgd-linf-8_255";
    EXPECT_EQ(run_gap(request, *self_comm()).models.at(0).name, "net@pgd-linf-8_255");
}

}  // namespace
}  // namespace assay
