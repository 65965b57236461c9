// Writes a simulated study and reports its truth.
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/replication/steps.h"
#include "core/result_table.h"
#include "replication/step_tables.h"

namespace assay::replication {
namespace {

double mean(const std::vector<double>& x) {
    return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// A set with its expected rate and accuracy.
struct SimulatedRow {
    std::string_view set;
    std::optional<std::size_t> images;
    double selection_rate, accuracy;
};
ResultType result_type(ResultOf<SimulatedRow>) {
    using Of = SimulatedRow;
    static constexpr auto rows = describe_result<Of>(
        {.name = "SimulatedRow", .columns = "set,images,selection_rate,accuracy"},
        {
            part<&Of::set>({}),
            part<&Of::images>({}),
            part<&Of::selection_rate>({}),
            part<&Of::accuracy>({}),
        });
    return rows;
}

std::vector<SimulatedRow> rows_of(const SimulateOutcome& outcome) {
    const Simulation::Truth& truth = outcome.truth;
    return {{"original", outcome.first_images, truth.first_rate, mean(truth.first)},
            {"replication", outcome.second_images, truth.second_rate, mean(truth.second)},
            {"replication, adjusted", {}, truth.first_rate, mean(truth.adjusted)}};
}

/// Throws usage for numbers that the world does not use.
void refuse_unused(const SimulationOptions& options) {
    if (options.world != World::matching) return;
    const SimulationOptions usual;
    for (const auto& [given, option] :
         {std::pair(options.images_per_class != usual.images_per_class, "--images"),
          std::pair(options.classifiers != usual.classifiers, "--classifiers")}) {
        if (given)
            throw Error(
                ErrorCode::usage,
                fmt::format("{} has no effect in the world `matching`, which has 20 original "
                            "and 80 candidate images per class and one classifier: omit it",
                            option));
    }
}

}  // namespace

SimulateOutcome run_simulate(const SimulateStep& step, const ProgressCallback& progress) {
    SimulateOutcome outcome;
    outcome.options = step.simulation;
    outcome.options.world = world_named(step.world);
    refuse_unused(outcome.options);
    outcome.folder = step.out;
    const Simulation simulation = simulate(outcome.options, progress);
    outcome.files = write_simulation(simulation, step.out, step.force);
    outcome.first_images = simulation.first.size();
    outcome.second_images = simulation.second.size();
    outcome.truth = simulation.truth;
    return outcome;
}

ResultType result_type(ResultOf<SimulateOutcome>) {
    using Of = SimulateOutcome;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ReplicateSimulate",
         .help = "A simulated study",
         .schema = "assay.replicate_simulate/1"},
        {
            part<&Of::options, &SimulationOptions::world>({}),
            part<&Of::folder>({}),
            part<&Of::files>({.help = "Written there"}),
            part({.help = "True accuracies", .name = "original", .group = "mean"},
                 [](const Of& o) { return mean(o.truth.first); }),
            part({.name = "replication", .group = "mean"},
                 [](const Of& o) { return mean(o.truth.second); }),
            part({.name = "adjusted", .group = "mean"},
                 [](const Of& o) { return mean(o.truth.adjusted); }),
        });
    return rows;
}

Report report_of(const SimulateOutcome& outcome) {
    const std::vector<SimulatedRow> rows = rows_of(outcome);
    Table table =
        empty_table(fmt::format("World `{}`: {} annotators, {} classifiers; expected values",
                                name_of(outcome.options.world), outcome.options.annotators,
                                outcome.truth.adjusted.size()),
                    {{"set", false}, {"images"}, {"selection rate %"}, {"accuracy %"}});
    table.notes = {
        fmt::format("in {}: {}", outcome.folder.string(), fmt::join(outcome.files, " "))};
    const auto percent = [](double x) {
        return Number{.value = x, .unit = Unit::proportion, .digits = 2};
    };
    for (const SimulatedRow& row : rows) {
        table.add({std::string(row.set), row.images ? Cell(Count{*row.images}) : Cell(),
                   percent(row.selection_rate), percent(row.accuracy)});
    }
    Report report;
    report.sections.push_back({"", {std::move(table)}, {}});
    report.records = table_of(rows);
    report.result = to_json(outcome);
    return report;
}

}  // namespace assay::replication
