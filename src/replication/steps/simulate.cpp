// A simulated study written out, and what is true of it.
#include <numeric>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "assay/replication/steps.h"
#include "replication/tables.h"

namespace assay::replication {
namespace {

double mean(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// Sets with their expected rates and accuracies; the same rows for people and as records.
void add_rows(Table& table, const SimulateOutcome& outcome) {
    const auto percent = [](double x) {
        return Number{.value = x, .unit = Unit::proportion, .digits = 2};
    };
    const Simulation::Truth& truth = outcome.truth;
    table.add({"original", Count{outcome.first_images}, percent(truth.first_rate),
               percent(mean(truth.first))});
    table.add({"replication", Count{outcome.second_images}, percent(truth.second_rate),
               percent(mean(truth.second))});
    table.add({"replication, adjusted", Cell(), percent(truth.first_rate),
               percent(mean(truth.adjusted))});
}

}  // namespace

SimulateOutcome run_simulate(const SimulateStep& step, const ProgressCallback& progress) {
    SimulateOutcome outcome;
    outcome.options = step.simulation;
    outcome.options.world = world_named(step.world);
    outcome.folder = step.out;
    const Simulation simulation = simulate(outcome.options, progress);
    outcome.files = write_simulation(simulation, step.out, step.force);
    outcome.first_images = simulation.first.size();
    outcome.second_images = simulation.second.size();
    outcome.truth = simulation.truth;
    return outcome;
}

Report report_of(const SimulateOutcome& outcome) {
    const Simulation::Truth& truth = outcome.truth;
    const std::string_view world = name_of(outcome.options.world);
    Table table =
        empty_table(fmt::format("World `{}`: {} annotators, {} classifiers; expected values", world,
                                outcome.options.annotators, truth.adjusted.size()),
                    {{"set", false}, {"images"}, {"selection rate %"}, {"accuracy %"}});
    table.notes = {
        fmt::format("in {}: {}", outcome.folder.string(), fmt::join(outcome.files, " "))};
    add_rows(table, outcome);
    Report report;
    report.sections.push_back({"", {std::move(table)}, {}});
    report.records.columns = {{"set"}, {"images"}, {"selection_rate"}, {"accuracy"}};
    add_rows(report.records, outcome);
    report.result = {{"schema", "assay.replicate_simulate/1"},
                     {"world", world},
                     {"folder", outcome.folder.string()},
                     {"files", outcome.files},
                     {"mean",
                      {{"original", mean(truth.first)},
                       {"replication", mean(truth.second)},
                       {"adjusted", mean(truth.adjusted)}}}};
    return report;
}

}  // namespace assay::replication
