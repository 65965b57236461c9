// Tests each step from its options to its report, with the contents of tables, records and JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/replication/steps.h"
#include "core/file.h"
#include "scratch.h"

namespace assay::replication {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// A small study on disk.
class Steps : public testing::Test {
protected:
    static void SetUpTestSuite() {
        scratch_ = new Scratch;
        SimulateStep step;
        step.out = *scratch_ / "study";
        step.simulation.classes = 40;
        step.simulation.annotators = 16;
        step.simulation.classifiers = 2;
        simulated_ = new Report(report_of(run_simulate(step)));
    }
    static void TearDownTestSuite() {
        delete simulated_;
        delete scratch_;
        simulated_ = nullptr;
        scratch_ = nullptr;
    }
    static std::filesystem::path file(const std::string& name) {
        return *scratch_ / "study" / name;
    }
    static AdjustStep adjustment() {
        AdjustStep step;
        step.original = file("original.csv");
        step.replication = file("replication.csv");
        step.original_hits = file("original-hits.csv");
        step.replication_hits = file("replication-hits.csv");
        return step;
    }
    static const Table& table(const Report& report, std::size_t block) {
        return std::get<Table>(report.sections.at(0).blocks.at(block));
    }
    static Scratch* scratch_;
    static Report* simulated_;
};
Scratch* Steps::scratch_ = nullptr;
Report* Steps::simulated_ = nullptr;

std::vector<std::string> names(const Table& table) {
    std::vector<std::string> out;
    for (const Column& column : table.columns) out.push_back(column.name);
    return out;
}

TEST_F(Steps, SimulateSaysWhatIsTrue) {
    EXPECT_EQ(simulated_->result["schema"], "assay.replicate_simulate/1");
    EXPECT_EQ(simulated_->result["files"].size(), 5U);
    ASSERT_EQ(simulated_->records.rows.size(), 3U);
    EXPECT_EQ(std::get<Number>(simulated_->records.rows[2][3]).value,
              simulated_->result["mean"]["adjusted"].get<double>());
    SimulateStep again;
    again.out = *scratch_ / "study";
    EXPECT_THROW(run_simulate(again), Error);
    again.world = "betta";
    EXPECT_THROW(run_simulate(again), Error);
}

TEST_F(Steps, FrequenciesOfOneSetAndOfTwo) {
    FrequenciesStep step;
    step.files = {file("original.csv")};
    const Report one = report_of(run_frequencies(step));
    EXPECT_EQ(names(one.records),
              (std::vector<std::string>{"image", "label", "annotators", "selected", "frequency"}));
    EXPECT_EQ(one.records.rows.size(), 400U);
    step.files.push_back(file("replication.csv"));
    const FrequenciesOutcome outcome = run_frequencies(step);
    const Report two = report_of(outcome);
    EXPECT_EQ(names(two.records).front(), "set");
    EXPECT_EQ(two.records.rows.size(), 800U);
    EXPECT_EQ(two.result["schema"], "assay.replicate_frequencies/2");
    const json& mean = two.result["sets"][1]["mean_frequency"];
    EXPECT_EQ(mean["unit"], "proportion");
    EXPECT_EQ(mean["n"], 400);
    EXPECT_EQ(mean["value"], *mean_frequency(outcome.prepared.sets[1]).value);
    // The bars of a set sum to one.
    double sum = 0;
    for (const auto& row : table(two, 1).rows) sum += std::get<Bar>(row[2]).value;
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_FALSE(two.partial);
    // Annotators are compared with each other, and with the result without one of them.
    const json& annotators = two.result["annotators"];
    EXPECT_EQ(annotators.size(), outcome.prepared.ratings.size());
    EXPECT_TRUE(annotators[0]["leniency"]["value"].is_number());
    EXPECT_EQ(table(two, 2).columns.size(), 5U);
    FrequenciesStep without = step;
    without.annotations.without_annotators = {annotators[0]["annotator"].get<std::string>()};
    const json rest = report_of(run_frequencies(without)).result["annotators"];
    EXPECT_EQ(rest.size() + 1, annotators.size());
    EXPECT_NE(rest[0]["annotator"], annotators[0]["annotator"]);
    without.annotations.without_annotators = {"nobody at all"};
    EXPECT_THROW(run_frequencies(without), Error);
    step.files.push_back(file("replication.csv"));
    EXPECT_THROW(run_frequencies(step), Error);
    // A table with two sets is refused as the table of one set.
    const auto both = *scratch_ / "both.csv";
    write_file_atomically(both, "set,image,label,annotators,selected\na,x,c,2,1\nb,x,d,2,1\n");
    step.files = {both};
    EXPECT_THROW(run_frequencies(step), Error);
}

TEST_F(Steps, MatchSaysWhyThereIsNoHeldOutFrequency) {
    MatchStep step;
    step.reference = file("original.csv");
    step.candidates = file("replication.csv");
    step.hits = file("replication-hits.csv");
    step.choice.per_class = 2;
    const Report all = report_of(run_match(step, *self_comm()));
    EXPECT_EQ(all.result["schema"], "assay.replicate_match/2");
    EXPECT_EQ(all.result["held_out"]["undefined"], "no annotator was held out");
    EXPECT_TRUE(all.result["held_out"]["value"].is_null());
    EXPECT_EQ(all.result["accuracy"].size(), 2U);
    EXPECT_EQ(all.result["accuracy"][0]["accuracy"]["interval"]["method"], "wilson");
    EXPECT_EQ(all.records.rows.size(), all.result["chosen"].get<std::size_t>());
    step.choice.annotators = 5;
    const Report held = report_of(run_match(step, *self_comm()));
    EXPECT_TRUE(held.result["held_out_minus_reference"]["value"].is_number());
    EXPECT_TRUE(held.result["held_out_minus_in_sample"]["value"].is_number());
    EXPECT_EQ(table(held, 0).rows.size(), 5U);
}

TEST_F(Steps, AdjustTellsTheSameEverywhere) {
    AdjustStep step = adjustment();
    step.sweep_eighths = true;
    step.estimates.bootstrap = 40;
    std::uint64_t last = 0;
    const AdjustOutcome outcome =
        run_adjust(step, *self_comm(), [&](const Progress& at) { last = at.done; });
    EXPECT_EQ(last, 8U);  // eighths of 16 annotators, and the sweep is last
    const Report report = report_of(outcome);
    EXPECT_EQ(report.result["schema"], "assay.replicate_adjust/2");
    EXPECT_EQ(report.result["verdict"], verdict(outcome.adjusted));
    EXPECT_THAT(verdict(outcome.adjusted), HasSubstr("come from how they were selected."));
    EXPECT_EQ(outcome.sweep.front().annotators, 2);
    EXPECT_EQ(outcome.sweep.back().annotators, 16);
    // There are two classifiers for each method with a value.
    std::size_t defined = 0;
    for (const MethodResult& method : outcome.adjusted.methods) defined += method.defined() ? 1 : 0;
    EXPECT_EQ(report.records.rows.size(), 2 * defined);
    const Estimate& mean = outcome.adjusted.methods.front().mean_adjusted;
    EXPECT_EQ(mean.unit, Unit::proportion);
    EXPECT_EQ(mean.n, 800U);
    EXPECT_EQ(outcome.adjusted.mean_second.n, 400U);
    EXPECT_EQ(outcome.adjusted.raw_line->slope.n, 2U);
    // Every rank gets the whole result.
    run_thread_ranks(
        3, [&](Comm& comm) { EXPECT_EQ(report_of(run_adjust(step, comm)).result, report.result); });
}

TEST_F(Steps, MethodsByName) {
    AdjustStep step = adjustment();
    step.methods = {"naive"};
    EXPECT_EQ(run_adjust(step, *self_comm()).adjusted.quoted, "naive");
    step.methods = {"naives"};
    try {
        run_adjust(step, *self_comm());
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.message(), HasSubstr("did you mean `naive`?"));
    }
    EXPECT_EQ(units_named("image"), Units::images);
    EXPECT_EQ(empty_bins_named("zero"), EmptyBins::count_zero);
    EXPECT_THROW(units_named("classes"), Error);
    EXPECT_THROW(empty_bins_named(""), Error);
}

TEST_F(Steps, PlanWithAndWithoutHits) {
    const AdjustStep files = adjustment();
    PlanStep step;
    step.original = files.original;
    step.replication = files.replication;
    step.plan.annotators = {10, 20};
    const Report assumed = report_of(run_plan(step, *self_comm()));
    EXPECT_EQ(assumed.result["schema"], "assay.replicate_plan/3");
    EXPECT_EQ(assumed.result["assumed_curve"], true);
    EXPECT_EQ(assumed.records.rows.size(), 2U);
    EXPECT_EQ(table(assumed, 0).columns.size(), 5U);
    EXPECT_THAT(table(assumed, 0).notes, testing::Contains(HasSubstr("30 % wider")));
    EXPECT_EQ(table(assumed, 1).columns.size(), 8U);
    step.plan.annotators = {10};
    step.original_hits = files.original_hits;
    EXPECT_THROW(run_plan(step, *self_comm()), Error);
    step.replication_hits = files.replication_hits;
    EXPECT_EQ(report_of(run_plan(step, *self_comm())).result["assumed_curve"], false);
}

}  // namespace
}  // namespace assay::replication
