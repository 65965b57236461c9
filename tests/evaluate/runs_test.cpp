// Many stores at once, as `assay score` and `assay compare` measure them, and their reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/report.h"
#include "assay/robustness/model_stores.h"
#include "containers/csv.h"
#include "evaluate/measurement_text.h"
#include "evaluate/options_used.h"
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
    options.metrics = {"top_k"};  // the name in torchmetrics
    options.subgroups.clear();
    EXPECT_THAT(names_of(resolve(options, store).metrics),
                testing::ElementsAre("top2", "top3", "nll"));
}

TEST(MeasureOptions, WhatActsOnNoMetricThatIsNamedIsRefused) {
    MeasureOptions options;
    options.metrics = {"top1"};
    options.bins = 20;
    options.gates = {"ece <= .05"};  // the gate uses its own bins
    EXPECT_THAT(error_of([&] { check_used(options, false); }), HasSubstr("--bins"));
    options.metrics = {"ece"};
    EXPECT_EQ(error_of([&] { check_used(options, false); }), "");
    options.bins = 0;
    options.metrics = {"top_k"};
    options.k = {3};
    EXPECT_EQ(error_of([&] { check_used(options, false); }), "");
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

// One of twenty images has a single label, which is 5 %. One of twenty-one is less.
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
    // If no image has a single label, there is no note, because composites never have one.
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
    EXPECT_THAT(fault([](Options& o) { o.labels = {"/nonexistent.json"}; }, false),
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
    EXPECT_THAT(error_of([&] { resolve(options, store); }), HasSubstr("add asma to --metrics"));
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
    EXPECT_EQ(report.records.rows.size(), 4U);  // 2 stores times 2 metrics
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
    EXPECT_EQ(full.records.rows.size(), 8U);  // 2 stores times 4 classes
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

// Bins are [i/B, (i+1)/B), in double precision. Confidences of exactly 1 have their own bin.
TEST(ScoreRuns, ReliabilityBins) {
    Scratch folder;
    Made made = made_up(500, 4, 3);
    made.scores[0] = 200;  // a confidence is exactly 1
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
    // The weighted gaps of the bins add up to ece.
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
    // c0 has 1 of 2 correct, c1 2 of 2, c2 0 of 1, and c3 and c4 have no items.
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
    EXPECT_EQ(report.records.rows.size(), 5U);  // programs get all classes, in class order
}

// With one image for each class, differences between classes only reflect single images.
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
    Made seven = made_up(7, 6, 1);  // one class has two images
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
    EXPECT_THAT(error_of([&] { check(options, {.per_class = true}); }),
                HasSubstr("only averages metrics"));
}

TEST(ScoreRuns, SameBitsForAnyRanks) {
    Scratch folder;
    save(folder, made_up(700, 5, 1), "a");
    save(folder, of_dataset("small", 2), "b");  // there is one unit, so all other ranks have none
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

const Table& table_called(const Report& report, std::string_view title) {
    for (const Block& block : report.sections.at(0).blocks) {
        const auto* table = std::get_if<Table>(&block);
        if (table != nullptr && table->title.starts_with(title)) return *table;
    }
    throw std::runtime_error("no table " + std::string(title));
}

/// A cell of the row that begins with `first`.
const Cell& cell_of(const Table& table, const std::string& first, const std::string& column) {
    for (const auto& row : table.rows) {
        if (row.empty() || std::get<std::string>(row.at(0)) != first) continue;
        for (std::size_t c = 0; c < row.size(); ++c)
            if (table.columns.at(c).name == column) return row[c];
        throw std::runtime_error("no column " + column);
    }
    throw std::runtime_error("no row " + first);
}

Measurement measurement_named(const std::string& model, const std::string& metric, double value,
                              std::map<std::string, std::string> parameters = {}) {
    Measurement m;
    m.value = value;
    m.unit = Unit::proportion;
    m.n = 100;
    m.key.model = model;
    m.key.dataset = "val";
    m.key.metric = metric;
    m.key.definition = metric + ".usual";
    m.key.parameters = std::move(parameters);
    return m;
}

// Each store lacks metrics that the other has, and their order differs.
TEST(ScoreRuns, ACellIsOfTheMetricAboveIt) {
    ScoreResult result;
    for (const char* model : {"a", "b", "c"}) {
        ScoreReport& report = result.reports.emplace_back();
        report.model = model;
        report.dataset = "val";
    }
    result.reports[0].measurements = {measurement_named("a", "top1", 0.1),
                                      measurement_named("a", "ece", 0.2)};
    result.reports[1].measurements = {measurement_named("b", "balanced", 0.3),
                                      measurement_named("b", "ece", 0.4),
                                      measurement_named("b", "top1", 0.5)};
    result.reports[2].measurements = {
        measurement_named("c", "subgroup_accuracy", 0.6, {{"g", "3"}}),
        measurement_named("c", "nll", 0.7)};
    const Report report = report_of(result);
    const Table& table = table_called(report, "val");
    const auto value = [&](const char* model, const char* column) {
        const auto* estimate = std::get_if<Estimate>(&cell_of(table, model, column));
        return estimate == nullptr ? -1 : estimate->value.value();
    };
    EXPECT_EQ(value("a", "top1 %"), 0.1);
    EXPECT_EQ(value("a", "ece %"), 0.2);
    EXPECT_EQ(value("a", "balanced %"), -1);
    EXPECT_EQ(value("b", "top1 %"), 0.5);
    EXPECT_EQ(value("b", "ece %"), 0.4);
    EXPECT_EQ(value("b", "balanced %"), 0.3);
    EXPECT_EQ(value("c", "nll %"), 0.7);
    EXPECT_EQ(value("c", "top1 %"), -1);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(cell_of(table, "c", "ece %")));
    // Tables of label counts appear if any store has such metrics.
    const Table& labels = table_called(report, "val: by number of labels per image");
    EXPECT_TRUE(std::holds_alternative<std::monostate>(cell_of(labels, "a", "3 labels %")));
    EXPECT_EQ(std::get<Estimate>(cell_of(labels, "c", "3 labels %")).value, 0.6);
}

/// Label sets have the label and the next class.
Made with_label_sets(Made made) {
    for (auto& set : made.labels) {
        const std::int32_t next = (set[0] + 1) % static_cast<std::int32_t>(made.classes);
        set = {std::min(set[0], next), std::max(set[0], next)};
    }
    return made;
}

// `val` of r1 has single labels, and that of r2 has label sets. They are two data sets in either
// order.
TEST(ScoreRuns, DataSetsOfOneNameAndOtherLabelsStandApart) {
    Scratch folder;
    for (const char* model : {"a", "b"})
        save(folder, of_dataset("val", static_cast<std::uint64_t>(*model)), model,
             StorageFormat::full_f32, 100, false, "r1");
    for (const char* model : {"c", "d"})
        save(folder, with_label_sets(of_dataset("val", static_cast<std::uint64_t>(*model))), model,
             StorageFormat::full_f32, 100, false, "r2");
    for (const auto& [first, second] : {std::pair("r1", "r2"), std::pair("r2", "r1")}) {
        ScoreRunsOptions options;
        options.paths = {folder / first, folder / second};
        const ScoreResult result = score_runs(options, *self_comm());
        ASSERT_EQ(result.reports.size(), 4U);
        EXPECT_THAT(
            result.warnings,
            testing::Contains(AllOf(HasSubstr((folder / "r1" / "val").string()),
                                    HasSubstr((folder / "r2" / "val").string()),
                                    HasSubstr("different data sets with the same name, `val`"))));
        const Report report = report_of(result);
        for (const ScoreReport& one : result.reports) {
            const bool sets = one.model == "c" || one.model == "d";
            EXPECT_EQ(one.dataset, sets ? "r2/val" : "r1/val");
            const Table& table = table_called(report, one.dataset);
            std::size_t cells = 0;
            for (const Measurement& m : one.measurements) {
                EXPECT_EQ(m.key.dataset, one.dataset);
                if (metric_named(m.key.metric).by_labels_per_image) continue;
                const std::string heading = metric_heading(m);
                const auto& cell = std::get<Estimate>(cell_of(table, one.model, heading));
                EXPECT_EQ(cell.value, m.value) << heading;
                ++cells;
            }
            // Two more columns are the model and the number of items.
            EXPECT_EQ(table.columns.size(), cells + 2);
        }
        for (const auto format : {ReportFormat::text, ReportFormat::csv, ReportFormat::json,
                                  ReportFormat::markdown, ReportFormat::latex})
            EXPECT_FALSE(render(report, format).empty());
        options.measure.gates = {"confidence >= 0"};
        for (const GateResult& gate : score_runs(options, *self_comm()).gates)
            EXPECT_THAT(gate.dataset, testing::AnyOf("r1/val", "r2/val"));
    }
    ScoreRunsOptions options;
    options.paths = {folder / "r1", folder / "r2"};
    options.ood = {"val=val"};
    EXPECT_THAT(error_of([&] { score_runs(options, *self_comm()); }),
                AllOf(HasSubstr("r1/val"), HasSubstr("r2/val"), HasSubstr("same name")));
}

TEST(ScoreRuns, OneDataSetInTwoFoldersIsOneTable) {
    Scratch folder;
    save(folder, of_dataset("val", 1), "a", StorageFormat::full_f32, 100, false, "r1");
    save(folder, of_dataset("val", 1), "b", StorageFormat::full_f32, 100, false, "r2");
    ScoreRunsOptions options;
    options.paths = {folder / "r1", folder / "r2"};
    ScoreResult result = score_runs(options, *self_comm());
    EXPECT_TRUE(result.warnings.empty());
    EXPECT_EQ(table_called(report_of(result), "val").rows.size(), 2U);
    // The names and labels are the same, but the images differ.
    Made other = of_dataset("val", 1);
    for (const char* runs : {"r3", "r4"}) {
        other.images = std::string("xxh128:0000000000000000000000000000000") + runs[1];
        save(folder, other, "a", StorageFormat::full_f32, 100, false, runs);
    }
    options.paths = {folder / "r3", folder / "r4"};
    result = score_runs(options, *self_comm());
    EXPECT_EQ(result.reports.at(0).dataset, "r3/val");
    EXPECT_EQ(result.reports.at(1).dataset, "r4/val");
    EXPECT_EQ(result.warnings.size(), 1U);
}

constexpr const char* attacked_record =
    R"({"model": {"name": "x"}, "scored_by": {"attack": "pgd", "eps": 0.03}})";

std::string smoothed_record(const std::string& purpose, int copies) {
    return nlohmann::json{
        {"model", {{"name", "x"}}},
        {"scored_by",
         {{"smoothed",
           {{"of", "a"}, {"sigma", .25}, {"copies", copies}, {"seed", 0}, {"purpose", purpose}}}}}}
        .dump();
}

TEST(DerivedStores, KnowThemselvesByTheirRecord) {
    Scratch folder;
    Made made = of_dataset("val", 1);
    const DerivedStore pgd{"net", "pgd-linf-8_255", "", 0};
    made.provenance = attacked_record;
    EXPECT_EQ(derived_of(save(folder, made, "net@pgd-linf-8_255")), pgd);
    EXPECT_EQ(derived_of(save(folder, made, "net")).attack, "pgd");  // under any store name
    // A model's own scores do not count as an attack, even under such a name.
    made.provenance = R"({"model": {"name": "old@pgd-linf-8_255"}})";
    EXPECT_FALSE(derived_of(save(folder, made, "old@pgd-linf-8_255")).any());
    // If the record says nothing, the name decides.
    made.provenance = R"({"import": {"file": "x.npy"}})";
    EXPECT_EQ(derived_of(save(folder, made, "n@e@apgd-ce-l2-0.5")),
              (DerivedStore{"n@e", "apgd-ce-l2-0.5", "", 0}));
    for (const char* name : {"n@pgd", "n@pgd-trained", "@pgd-linf-8_255", "pgd-linf-8_255"})
        EXPECT_FALSE(derived_of(save(folder, made, name)).any()) << name;
    made.dataset = "val_fog_3";
    EXPECT_EQ(derived_of(save(folder, made, "net")), (DerivedStore{"", "", "fog", 3}));
    EXPECT_EQ(describe(derived_of(save(folder, made, "net@fgsm-linf-8_255"))),
              "fgsm-linf-8_255, fog at severity 3");
}

TEST(DerivedStores, OfAttacksAreNotAmongModelsUnlessTheyAreNamed) {
    Scratch folder;
    const Made made = of_dataset("val", 1);
    for (const char* model : {"net", "net@pgd-linf-8_255", "other", "other@fgsm-linf-8_255"})
        save(folder, made, model);
    save(folder, of_dataset("attacked", 1), "net@pgd-linf-8_255");
    const std::filesystem::path val = folder / "runs/val";
    const auto names = [](const std::vector<std::filesystem::path>& folders) {
        std::vector<std::string> all;
        for (const auto& one : folders) all.push_back(one.filename().string());
        return all;
    };
    const ModelStores found = model_stores({val});
    EXPECT_THAT(names(found.folders), testing::ElementsAre("net", "other"));
    EXPECT_THAT(names(found.variants),
                testing::ElementsAre("net@pgd-linf-8_255", "other@fgsm-linf-8_255"));
    EXPECT_THAT(found.note(), AllOf(HasSubstr("2 stores of attacks are skipped"),
                                    HasSubstr("`" + (val / "net@pgd-linf-8_255").string() + "`")));
    // A store is found by its name, or if it is the only one in the folder. Each is listed once.
    const ModelStores named = model_stores({val / "net@pgd-linf-8_255", val});
    EXPECT_THAT(names(named.folders), testing::ElementsAre("net@pgd-linf-8_255", "net", "other"));
    EXPECT_THAT(named.note(), AllOf(HasSubstr("1 store of an attack is skipped"),
                                    HasSubstr("other@fgsm-linf-8_255")));
    EXPECT_EQ(model_stores({folder / "runs/attacked"}).note(), "");
    EXPECT_EQ(model_stores({folder / "runs/attacked"}).folders.size(), 1U);
    EXPECT_TRUE(model_stores({}).folders.empty());
    // The same stores are already open.
    const OpenedModels opened = open_models({val / "net@pgd-linf-8_255", val});
    ASSERT_EQ(opened.stores.size(), named.folders.size());
    for (std::size_t i = 0; i < opened.stores.size(); ++i)
        EXPECT_EQ(opened.stores[i].folder(), named.folders[i]);
    EXPECT_EQ(opened.skipped, named.note());
}

TEST(DerivedStores, CalibratedCopiesAreCountedApartFromAttacks) {
    Scratch folder;
    Made made = of_dataset("val", 1);
    save(folder, made, "net");
    made.provenance = R"({"calibrated": {"method": "temperature", "of": "net"}})";
    save(folder, made, "net-calibrated");
    const std::filesystem::path val = folder / "runs/val";
    EXPECT_THAT(model_stores({val}).note(), testing::StartsWith("1 calibrated copy is skipped"));
    save(folder, of_dataset("val", 1), "net@pgd-linf-8_255");
    EXPECT_THAT(model_stores({val}).note(),
                testing::StartsWith("1 store of an attack and 1 calibrated copy are skipped"));
    made.provenance = smoothed_record("certify.samples", 200);
    save(folder, made, "net@smoothed-0.25-200");
    EXPECT_THAT(model_stores({val}).note(),
                testing::StartsWith("1 store of an attack, 1 store of a smoothed model and 1 "
                                    "calibrated copy are skipped"));
}

TEST(DerivedStores, AreUsedBesideADamagedStoreIfThereIsNoModel) {
    Scratch folder;
    save(folder, of_dataset("val", 1), "net@pgd-linf-8_255");
    const std::filesystem::path val = folder / "runs/val";
    std::filesystem::create_directories(val / "damaged");
    std::ofstream(val / "damaged/manifest.json") << "{";
    EXPECT_THAT(model_stores({val}, true).folders,
                testing::ElementsAre(val / "damaged", val / "net@pgd-linf-8_255"));
    save(folder, of_dataset("val", 1), "net");
    const ModelStores found = model_stores({val}, true);
    EXPECT_THAT(found.folders, testing::ElementsAre(val / "damaged", val / "net"));
    EXPECT_THAT(found.variants, testing::ElementsAre(val / "net@pgd-linf-8_255"));
    EXPECT_THROW(model_stores({val}), Error);
}

TEST(DerivedStores, HaveATableOfTheirOwn) {
    Scratch folder;
    for (const char* model : {"a", "b"}) {
        Made made = of_dataset("val", static_cast<std::uint64_t>(*model));
        save(folder, made, model);
        made.provenance = attacked_record;
        for (const char* attack : {"pgd-linf-8_255", "noise-linf-8_255"})
            save(folder, made, fmt::format("{}@{}", model, attack));
    }
    ScoreRunsOptions options;
    options.paths = {folder / "runs"};
    options.measure.metrics = {"top1,nll"};
    ScoreResult result = score_runs(options, *self_comm());
    Report report = report_of(result);
    ASSERT_EQ(report.sections.at(0).blocks.size(), 2U);
    const auto& models = std::get<Table>(report.sections[0].blocks[0]);
    EXPECT_EQ(models.title, "val");
    EXPECT_EQ(models.rows.size(), 2U);
    const auto& attacked = std::get<Table>(report.sections[0].blocks[1]);
    EXPECT_EQ(attacked.title, "val under attack");
    ASSERT_EQ(attacked.rows.size(), 5U);  // a line separates the attacks
    EXPECT_EQ(std::get<std::string>(attacked.rows[0].at(0)), "a");
    EXPECT_EQ(std::get<std::string>(attacked.rows[0].at(1)), "noise-linf-8_255");
    EXPECT_TRUE(attacked.rows[2].empty());
    EXPECT_EQ(std::get<std::string>(attacked.rows[4].at(0)), "b");
    EXPECT_EQ(std::get<std::string>(attacked.rows[4].at(1)), "pgd-linf-8_255");
    // Programs get every store under its own name.
    const auto& stores = report.result.at("stores");
    EXPECT_FALSE(stores.at(0).contains("derived"));
    EXPECT_EQ(stores.at(1).at("model"), "a@noise-linf-8_255");
    EXPECT_EQ(stores.at(1).at("derived"),
              (nlohmann::json{
                  {"model", "a"}, {"attack", "noise-linf-8_255"}, {"verdict", "not checked"}}));
    // A single store is scored like any other store.
    options.paths = {folder / "runs/val/a@pgd-linf-8_255"};
    report = report_of(score_runs(options, *self_comm()));
    ASSERT_EQ(report.sections[0].blocks.size(), 1U);
    EXPECT_EQ(std::get<Table>(report.sections[0].blocks[0]).title,
              "a@pgd-linf-8_255 on val: 120 items");
}

// As many copies choose the class as bound its probability.
TEST(DerivedStores, OfSmoothedModelsAreApartByTheirNoise) {
    Scratch folder;
    Made made = of_dataset("val", 1);
    save(folder, made, "a");
    made.provenance = smoothed_record("certify.samples", 100);
    const DerivedStore samples = derived_of(save(folder, made, "a@smoothed-0.25-100"));
    made.provenance = smoothed_record("certify.selection", 100);
    const DerivedStore selection = derived_of(save(folder, made, "a@smoothed-0.25-100-selection"));
    EXPECT_EQ(variant_text(samples), "smoothed (sigma 0.25, 100 copies)");
    EXPECT_EQ(variant_text(selection), "smoothed (sigma 0.25, 100 selection copies)");
    ScoreRunsOptions options;
    options.paths = {folder / "runs"};
    options.measure.metrics = {"top1"};
    const ScoreResult scores = score_runs(options, *self_comm());
    const Report report = report_of(scores);
    ASSERT_EQ(report.sections.at(0).blocks.size(), 2U);
    EXPECT_EQ(std::get<Table>(report.sections[0].blocks[0]).title, "a on val: 120 items");
    const auto& smoothed = std::get<Table>(report.sections[0].blocks[1]);
    EXPECT_EQ(smoothed.title, "val, smoothed models");
    EXPECT_EQ(std::get<std::string>(smoothed.rows.at(0).at(0)), "a");
    EXPECT_EQ(std::get<std::string>(smoothed.rows.at(0).at(1)), "sigma 0.25, 100 copies");
}

TEST(DerivedStores, DoNotCountInTheFamilyOfHolmsCorrection) {
    Scratch folder;
    for (const char* model : {"a", "b", "c"})
        save(folder,
             made_up(400, 4, static_cast<std::uint64_t>(*model), 0.7 + 0.1 * (*model - 'a')),
             model);
    CompareRunsOptions options;
    options.baseline = folder / "runs/val/a";
    options.candidates = {folder / "runs"};
    options.measure.metrics = {"top1,nll"};
    const CompareResult before = compare_runs(options, *self_comm());
    for (int i = 0; i < 8; ++i) {
        Made made = made_up(400, 4, 50U + static_cast<std::uint64_t>(i), 0.3);
        made.provenance = attacked_record;
        save(folder, made, fmt::format("{}@pgd-linf-{}_255", i % 2 == 0 ? "a" : "b", 1 + i));
    }
    const CompareResult after = compare_runs(options, *self_comm());
    ASSERT_EQ(before.pairs.size(), 2U);
    ASSERT_EQ(after.pairs.size(), 10U);
    for (std::size_t i = 0; i < before.pairs.size(); ++i) {
        // models come before stores under attack
        EXPECT_EQ(after.pairs[i].candidate, before.pairs[i].candidate);
        for (std::size_t k = 0; k < 2; ++k) {
            const PairedMetric &one = before.pairs[i].metrics[k], &two = after.pairs[i].metrics[k];
            EXPECT_EQ(two.p, one.p);
            EXPECT_EQ(two.p_holm, one.p_holm);
            EXPECT_EQ(two.verdict, one.verdict);
        }
    }
    // The eight comparisons are a separate family, so Holm's correction multiplies the smallest
    // p by eight.
    double smallest = 1;
    for (std::size_t i = 2; i < 10; ++i)
        smallest = std::min(smallest, *after.pairs[i].metrics[0].p);
    for (std::size_t i = 2; i < 10; ++i) {
        const PairedMetric& top1 = after.pairs[i].metrics[0];
        if (*top1.p > smallest) continue;
        EXPECT_DOUBLE_EQ(*top1.p_holm, std::min(1.0, 8 * smallest));
    }
    EXPECT_THAT(render(report_of(after), ReportFormat::text),
                AllOf(HasSubstr("over the candidates that are models, metric by metric"),
                      HasSubstr("over the candidates that are derived")));
}

TEST(CompareRuns, VerdictsInEveryForm) {
    Scratch folder;
    save(folder, made_up(600, 4, 1, 1), "a");
    save(folder, made_up(600, 4, 2, 3), "better");
    save(folder, made_up(600, 4, 3, 1), "same");
    CompareRunsOptions options;
    options.baseline = folder / "runs/val/a";
    options.candidates = {folder / "runs"};  // the baseline is skipped in the folder
    options.measure.metrics = {"top1,nll,confidence"};
    options.measure.gates = {"top1.delta >= 0.1"};
    const CompareResult result = compare_runs(options, *self_comm());
    ASSERT_EQ(result.pairs.size(), 2U);
    const auto& better = result.pairs[0].metrics;
    EXPECT_EQ(better[0].verdict, Verdict::better);
    EXPECT_EQ(better[1].verdict, Verdict::better);  // a lower loss is better
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
