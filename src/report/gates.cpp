#include "report/gates.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

std::string outcome_text(const GateOutcome& outcome) {
    if (outcome.passed) return "passed";
    return outcome.reason.empty() ? "BROKEN" : "BROKEN: " + outcome.reason;
}

Table gate_table(std::span<const GateOutcome> outcomes) {
    // If there is only one model and data set, they are not named.
    const auto differ = [&](std::string GateOutcome::*part) {
        return std::any_of(outcomes.begin(), outcomes.end(),
                           [&](const GateOutcome& o) { return o.*part != outcomes.front().*part; });
    };
    const bool models = differ(&GateOutcome::model), datasets = differ(&GateOutcome::dataset);
    Table table;
    table.title = "Gates";
    table.columns = {{"gate", false}};
    if (datasets) table.columns.push_back({"data set", false});
    if (models)
        table.columns.push_back({outcomes.front().baseline.empty() ? "model" : "candidate", false});
    table.columns.push_back({"found"});
    table.columns.push_back({"outcome", false});
    for (const GateOutcome& outcome : outcomes) {
        std::vector<Cell> cells{outcome.gate};
        if (datasets) cells.emplace_back(outcome.dataset);
        if (models) cells.emplace_back(outcome.model);
        cells.emplace_back(outcome.found ? fmt::format("{:.6g}", *outcome.found) : "–");
        cells.emplace_back(outcome_text(outcome));
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace assay
