// Many stores at once, as `assay score` and `assay compare` measure them, and their reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/report.h"
#include "core/csv.h"
#include "saved_scores.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string error_of(const std::function<void()>& body) {
    try {
        body();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::vector<std::string> names_of(const std::vector<MetricRequest>& requests) {
    std::vector<std::string> names;
    for (const MetricRequest& request : requests) names.push_back(request.text());
    return names;
}

Made of_dataset(std::string name, std::uint64_t seed) {
    Made made = made_up(120, 4, seed, 1);
    made.dataset = std::move(name);
    return made;
}

TEST(MeasureOptions, RequestsSayMoreThanTheOptionsForAll) {
    Scratch folder;
    const auto store = save(folder, made_up(20, 3, 1), "net");
    MeasureOptions options;
    options.metrics = {"topk,ece", "ece:bins=5,edges=right_closed,asma:subgroups=2,3", "asma"};
    options.k = {2, 3};
    options.bins = 20;
    options.subgroups = {"1-2", "4", "present"};
    options.gates = {"top2 >= 0", "nll <= 9"};
    const auto list = resolve(options, store).metrics;
    EXPECT_THAT(names_of(list),
                testing::ElementsAre("top2", "top3", "ece:bins=20", "ece:bins=5,edges=right_closed",
                                     "asma:subgroups=2,3,absent=skipped",
                                     "asma:subgroups=1,2,4,absent=skipped", "nll"));
}

TEST(MeasureOptions, DefaultsAreThoseThatTheLabelsHaveAUseFor) {
    const auto asked = [](const LabelSets& labels, std::string_view name) {
        std::vector<std::int32_t> targets;
        for (std::size_t i = 0; i < labels.size(); ++i)
            targets.push_back(labels[i].size() == 1 ? labels[i][0] : -1);
        const auto list = default_metrics_for(coverage_of(targets, labels), false).metrics;
        return std::any_of(list.begin(), list.end(),
                           [&](const MetricRequest& r) { return r.facts->name == name; });
    };
    LabelSets none, single, several, both;
    const std::int32_t two[] = {0, 1}, one[] = {2};
    none.append({});
    single.append(one);
    several.append(two);
    both.append(two);
    both.append(one);
    EXPECT_TRUE(asked(none, "topk") && !asked(none, "asma"));
    EXPECT_TRUE(asked(single, "topk") && !asked(single, "asma"));
    EXPECT_TRUE(!asked(several, "topk") && asked(several, "asma"));
    EXPECT_TRUE(asked(both, "topk") && asked(both, "asma"));
}

// Twenty images, one of them with a single label: 5 %. One in twenty-one is less.
TEST(MeasureOptions, ASliverOfSingleLabelsIsLeftOutAndNamed) {
    const auto defaults = [](std::size_t several, std::size_t single) {
        LabelSets labels;
        std::vector<std::int32_t> targets;
        const std::int32_t two[] = {0, 1}, one[] = {2};
        for (std::size_t i = 0; i < several; ++i) labels.append(two);
        for (std::size_t i = 0; i < single; ++i) labels.append(one);
        for (std::size_t i = 0; i < several + single; ++i) targets.push_back(i < several ? -1 : 2);
        return default_metrics_for(coverage_of(targets, labels), false);
    };
    const auto has = [](const DefaultMetrics& d, std::string_view name) {
        return std::any_of(d.metrics.begin(), d.metrics.end(),
                           [&](const MetricRequest& r) { return r.facts->name == name; });
    };
    EXPECT_TRUE(has(defaults(19, 1), "topk"));
    EXPECT_EQ(defaults(19, 1).left_out, "");
    const DefaultMetrics few = defaults(20, 1);
    EXPECT_FALSE(has(few, "topk"));
    EXPECT_FALSE(has(few, "ece"));
    EXPECT_TRUE(has(few, "asma"));
    EXPECT_THAT(few.left_out, HasSubstr("1 of 21 labelled images has a single label"));
    EXPECT_THAT(few.left_out, HasSubstr("top1, top5, balanced, nll"));
    // None at all says nothing: composites never have one.
    EXPECT_EQ(defaults(20, 0).left_out, "");
}

TEST(MeasureOptions, MistakesAreFoundWithoutAStore) {
    const auto fault = [](const std::function<void(MeasureOptions&)>& change, bool differences) {
        MeasureOptions options;
        change(options);
        return error_of([&] { check(options, differences); });
    };
    using Options = MeasureOptions;
    EXPECT_EQ(fault([](Options&) {}, false), "");
    EXPECT_THAT(fault([](Options& o) { o.metrics = {"tpo1"}; }, false), HasSubstr("tpo1"));
    EXPECT_THAT(fault([](Options& o) { o.edges = "left"; }, false), HasSubstr("left"));
    EXPECT_THAT(fault(
                    [](Options& o) {
                        o.metrics = {"asma"};
                        o.subgroups = {"x"};
                    },
                    false),
                HasSubstr("subgroups `x`"));
    EXPECT_THAT(fault([](Options& o) { o.labels = "/nonexistent.json"; }, false),
                HasSubstr("no labels at"));
    EXPECT_THAT(fault([](Options& o) { o.class_map = "imagenet-b"; }, false),
                HasSubstr("imagenet-b"));
    const auto delta = [](Options& o) { o.gates = {"top1.delta >= 0"}; };
    EXPECT_THAT(fault(delta, false), HasSubstr("needs a baseline"));
    EXPECT_EQ(fault(delta, true), "");

    Scratch folder;
    const auto store = save(folder, made_up(20, 3, 1), "net");
    MeasureOptions options;
    options.subgroups = {"2"};
    EXPECT_THAT(error_of([&] { resolve(options, store); }),
                HasSubstr("no image has several labels"));
    options.metrics = {"top1"};
    EXPECT_THAT(error_of([&] { resolve(options, store); }), HasSubstr("not among the metrics"));
}

TEST(ScoreRuns, EveryStoreItsGatesAndItsLines) {
    Scratch folder;
    save(folder, made_up(200, 4, 1), "a");
    save(folder, made_up(200, 4, 2), "b");
    ScoreRunsOptions options;
    options.paths = {folder / "runs"};
    options.measure.metrics = {"top1,nll"};
    options.measure.gates = {"top1 >= 0", "top1 >= 1"};
    options.confusions = 3;
    std::uint64_t done = 0, total = 0;
    const ScoreResult result = score_runs(options, *self_comm(), [&](const Progress& p) {
        EXPECT_GE(p.done, done);
        done = p.done;
        total = p.total;
    });
    EXPECT_EQ(done, 400U);
    EXPECT_EQ(total, 400U);
    ASSERT_EQ(result.reports.size(), 2U);
    EXPECT_EQ(result.gates.size(), 4U);
    EXPECT_FALSE(all_passed(result.gates));
    EXPECT_FALSE(result.partial());

    const Report report = report_of(result);
    EXPECT_THAT(render(report, ReportFormat::text),
                AllOf(HasSubstr("top1 %"), HasSubstr("Gates"), HasSubstr("BROKEN"),
                      Not(HasSubstr("classes"))));
    EXPECT_EQ(report.records.rows.size(), 4U);  // 2 stores x 2 metrics
    EXPECT_THAT(render(report, ReportFormat::csv),
                testing::StartsWith("model,dataset,subgroup,metric,definition,parameters,value,"
                                    "low,high,level,method,n,left_out,undefined,note\n"));
    EXPECT_EQ(report.result.at("schema"), "assay.scores/2");
    EXPECT_EQ(report.result.at("measurements").at(0).at("unit"), "proportion");
    EXPECT_EQ(report.result.at("stores").at(0).at("storage_format"), "full_f32");
    EXPECT_FALSE(report.result.at("stores").at(0).contains("per_class"));

    const Report full = report_of(result, {.per_class = true, .confusions = 3});
    EXPECT_THAT(render(full, ReportFormat::text),
                AllOf(HasSubstr("a on val: classes"), HasSubstr("b on val: most frequent")));
    EXPECT_EQ(full.records.rows.size(), 8U);  // 2 stores x 4 classes
    const auto& cls = full.result.at("stores").at(0).at("per_class").at(0);
    EXPECT_EQ(cls.at("accuracy").at("n"), 50);
    EXPECT_EQ(full.result.at("stores").at(0).at("confusions").size(), 3U);
}

TEST(ScoreRuns, ConfusionsAsCsv) {
    Scratch folder;
    const Made made = made_up(200, 4, 1);
    save(folder, made, "a");
    ScoreRunsOptions options;
    options.paths = {folder / "runs"};
    options.confusions = all_confusions;
    const ScoreResult result = score_runs(options, *self_comm());
    const Report report = report_of(result, {.confusions = all_confusions});
    const std::string csv = render(report, ReportFormat::csv);
    CsvReader reader(csv, "confusions");
    std::map<std::pair<std::string, std::string>, std::uint64_t> counted, expected;
    while (reader.next()) {
        EXPECT_EQ(reader[reader.column({"n"})], "50");
        const std::string count(reader[reader.column({"count"})]);
        EXPECT_DOUBLE_EQ(std::stod(std::string(reader[reader.column({"proportion"})])),
                         std::stod(count) / 50);
        counted[{std::string(reader[reader.column({"truth"})]),
                 std::string(reader[reader.column({"predicted"})])}] = std::stoull(count);
    }
    for (std::size_t i = 0; i < 200; ++i) {
        const auto row = std::span(made.scores).subspan(i * 4, 4);
        const auto top = std::max_element(row.begin(), row.end()) - row.begin();
        if (top != made.labels[i][0])
            ++expected[{fmt::format("c{}", made.labels[i][0]), fmt::format("c{}", top)}];
    }
    EXPECT_EQ(counted, expected);
}

// Bins from their definition, in double: [i/B, (i+1)/B), and confidences of exactly 1 apart.
TEST(ScoreRuns, ReliabilityBins) {
    Scratch folder;
    Made made = made_up(500, 4, 3);
    made.scores[0] = 200;  // a confidence of exactly 1
    save(folder, made, "a");
    ScoreRunsOptions options;
    options.paths = {folder / "runs"};
    options.measure.bins = 10;
    options.reliability = true;
    const ScoreResult result = score_runs(options, *self_comm());
    const auto& bins = result.reports.at(0).reliability;
    ASSERT_EQ(bins.size(), 11U);
    std::vector<std::uint64_t> n(11), correct(11);
    std::vector<double> confidence(11);
    for (std::size_t i = 0; i < 500; ++i) {
        const auto row = std::span(made.scores).subspan(i * 4, 4);
        const auto top = std::max_element(row.begin(), row.end());
        double sum = 0;
        for (const float x : row)
            sum += std::exp(static_cast<double>(x) - static_cast<double>(*top));
        const double p = 1 / sum;
        const std::size_t bin = p >= 1 ? 10 : static_cast<std::size_t>(p * 10);
        ++n[bin];
        correct[bin] += top - row.begin() == made.labels[i][0] ? 1 : 0;
        confidence[bin] += p;
    }
    for (std::size_t b = 0; b < 11; ++b) {
        EXPECT_NEAR(bins[b].low, 0.1 * static_cast<double>(b), 1e-6);
        EXPECT_EQ(bins[b].accuracy.n, n[b]);
        EXPECT_EQ(bins[b].correct, correct[b]);
        ASSERT_EQ(bins[b].confidence.has_value(), n[b] > 0);
        if (n[b] == 0) continue;
        EXPECT_NEAR(*bins[b].confidence, confidence[b] / static_cast<double>(n[b]), 1e-6);
        EXPECT_EQ(bins[b].accuracy.interval->method, "wilson");
        EXPECT_LE(bins[b].accuracy.interval->low, *bins[b].accuracy.value);
    }
    EXPECT_EQ(n[10], 1U);
    const Report report = report_of(result, {.reliability = true});
    EXPECT_EQ(report.records.rows.size(), 11U);
    EXPECT_THAT(render(report, ReportFormat::text), HasSubstr("a on val: reliability"));
    EXPECT_EQ(report.result.at("stores").at(0).at("reliability").size(), 11U);
    // The bins' weighted gaps are ece itself.
    options.measure.metrics = {"ece"};
    const ScoreResult with = score_runs(options, *self_comm());
    double ece = 0;
    for (const ReliabilityBin& bin : with.reports.at(0).reliability) {
        if (bin.accuracy.n > 0)
            ece += static_cast<double>(bin.accuracy.n) / 500 *
                   std::abs(*bin.accuracy.value - *bin.confidence);
    }
    EXPECT_NEAR(*with.reports.at(0).measurements.at(0).value, ece, 1e-12);
    options.measure.edges = "right_closed";
    EXPECT_EQ(score_runs(options, *self_comm()).reports.at(0).reliability.size(), 10U);
}

TEST(ScoreRuns, ClassesWorstFirstAndThoseWithoutItemsInOneLine) {
    Scratch folder;
    Made made;
    made.classes = 5;
    // c0: 1 of 2 correct, c1: 2 of 2, c2: 0 of 1, c3 and c4: none.
    made.scores = {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0};
    made.labels = {{0}, {0}, {1}, {1}, {2}};
    save(folder, made, "a");
    ScoreRunsOptions options;
    options.paths = {folder / "runs"};
    const ScoreResult result = score_runs(options, *self_comm());
    const Report report = report_of(result, {.per_class = true});
    const std::string text = render(report, ReportFormat::text);
    const std::string table = text.substr(text.find("a on val: classes"));
    EXPECT_LT(table.find("\nc2 "), table.find("\nc0 "));
    EXPECT_LT(table.find("\nc0 "), table.find("\nc1 "));
    EXPECT_THAT(table, AllOf(HasSubstr("2 classes without items"), Not(HasSubstr("\nc3"))));
    EXPECT_EQ(report.records.rows.size(), 5U);  // programs get all, in their order
}

// One image of each class: how classes differ is then the chance of single images.
TEST(ScoreRuns, ClassBalanceOfSingleImagesIsUndefined) {
    Scratch folder;
    save(folder, made_up(6, 6, 1), "one");
    ScoreRunsOptions options;
    options.paths = {folder / "runs/val/one"};
    options.measure.metrics = {"class_accuracy_balance,class_confidence_balance,class_balance",
                               "class_confidence_balance:spread=between", "balanced"};
    const ScoreReport one = score_runs(options, *self_comm()).reports.at(0);
    ASSERT_EQ(one.measurements.size(), 5U);
    for (const Measurement& m : one.measurements) {
        if (m.key.metric == "balanced") {
            EXPECT_TRUE(m.value) << m.undefined;
            continue;
        }
        EXPECT_FALSE(m.value) << m.key.metric;
        EXPECT_THAT(m.undefined, HasSubstr("each of the 6 classes has a single item"));
    }
    Made seven = made_up(7, 6, 1);  // one class has two
    seven.dataset = "seven";
    save(folder, seven, "two");
    options.paths = {folder / "runs/seven/two"};
    const ScoreReport two = score_runs(options, *self_comm()).reports.at(0);
    for (const Measurement& m : two.measurements)
        EXPECT_TRUE(m.value) << m.key.metric << m.undefined;
}

TEST(ScoreRuns, MeansOverDataSets) {
    Scratch folder;
    for (const char* name : {"seed1", "seed2", "other"})
        save(folder, of_dataset(name, name[4]), "net");
    ScoreRunsOptions options;
    options.paths = {folder / "runs"};
    options.across = "seed*";
    options.measure.metrics = {"top1"};
    options.measure.gates = {"top1 >= 0"};
    const ScoreResult result = score_runs(options, *self_comm());
    ASSERT_EQ(result.reports.size(), 2U);
    ASSERT_EQ(result.means.size(), 1U);
    EXPECT_EQ(result.means[0].mean.n, 240U);
    ASSERT_EQ(result.gates.size(), 1U);
    EXPECT_EQ(result.gates[0].dataset, "seed*");
    const Report report = report_of(result);
    EXPECT_THAT(
        render(report, ReportFormat::text),
        AllOf(HasSubstr("means over the data sets seed*"), HasSubstr("standard deviation")));
    EXPECT_EQ(report.records.rows.size(), 1U);
    EXPECT_EQ(report.result.at("across").size(), 1U);

    options.across = "sead*";
    EXPECT_THAT(error_of([&] { score_runs(options, *self_comm()); }),
                HasSubstr("`sead*` matches none of the data sets `other`, `seed1`, `seed2`"));
    EXPECT_THAT(error_of([&] { check(options, {.per_class = true}); }), HasSubstr("means"));
}

TEST(ScoreRuns, SameBitsForAnyRanks) {
    Scratch folder;
    save(folder, made_up(700, 5, 1), "a");
    save(folder, of_dataset("small", 2), "b");  // one unit: all ranks but one have none
    ScoreRunsOptions options;
    options.paths = {folder / "runs"};
    const std::string expected = to_json(score_runs(options, *self_comm())).dump();
    for (const int ranks : {2, 3, 7}) {
        run_thread_ranks(ranks, [&](Comm& comm) {
            if (to_json(score_runs(options, comm)).dump() != expected)
                throw std::runtime_error("rank differs");
        });
    }
}

TEST(CompareRuns, VerdictsInEveryForm) {
    Scratch folder;
    save(folder, made_up(600, 4, 1, 1), "a");
    save(folder, made_up(600, 4, 2, 3), "better");
    save(folder, made_up(600, 4, 3, 1), "same");
    CompareRunsOptions options;
    options.baseline = folder / "runs/val/a";
    options.candidates = {folder / "runs"};  // the baseline in it is left out
    options.measure.metrics = {"top1,nll,confidence"};
    options.measure.gates = {"top1.delta >= 0.1"};
    const CompareResult result = compare_runs(options, *self_comm());
    ASSERT_EQ(result.pairs.size(), 2U);
    const auto& better = result.pairs[0].metrics;
    EXPECT_EQ(better[0].verdict, Verdict::better);
    EXPECT_EQ(better[1].verdict, Verdict::better);  // a lower loss
    EXPECT_EQ(better[2].verdict, Verdict::none);    // more confidence is not better by itself
    EXPECT_EQ(result.pairs[1].metrics[0].verdict, Verdict::no_difference);
    EXPECT_TRUE(result.gates[0].passed);
    EXPECT_FALSE(result.gates[1].passed);

    const Report report = report_of(result);
    EXPECT_THAT(render(report, ReportFormat::text),
                AllOf(HasSubstr("better against a on val: 600 items in common"),
                      HasSubstr("no difference shown"), HasSubstr("p (Holm)"),
                      HasSubstr("Where they disagree"), HasSubstr("BROKEN")));
    EXPECT_EQ(report.records.rows.size(), 6U);
    const auto& metrics = report.result.at("pairs").at(0).at("metrics");
    EXPECT_EQ(report.result.at("schema"), "assay.comparisons/2");
    EXPECT_EQ(metrics.at(0).at("verdict"), "better");
    EXPECT_EQ(metrics.at(0).at("difference").at("unit"), "proportion");
    EXPECT_TRUE(metrics.at(0).at("difference").contains("interval"));
    EXPECT_FALSE(metrics.at(2).contains("verdict"));

    options.candidates = {folder / "runs/val/a"};
    EXPECT_THAT(error_of([&] { compare_runs(options, *self_comm()); }),
                HasSubstr("no candidate besides the baseline"));
    options.baseline = folder / "runs";
    EXPECT_THAT(error_of([&] { compare_runs(options, *self_comm()); }),
                HasSubstr("holds 3 stores"));
}

}  // namespace
}  // namespace assay
