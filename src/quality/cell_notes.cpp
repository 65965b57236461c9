#include "quality/cell_notes.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace assay::quality {

std::vector<std::string> notes_on_cells(const QualityTable& table,
                                        const std::vector<std::size_t>& models,
                                        const PerDimension<double>& weights) {
    std::map<std::pair<std::size_t, std::string>, std::size_t> counts;
    for (const std::size_t m : models) {
        for (std::size_t d = 0; d < dimension_count; ++d) {
            const QualityCell& cell = table.models[m].cells[d];
            if (weights[d] > 0 && cell.value && !cell.note.empty()) ++counts[{d, cell.note}];
        }
    }
    std::vector<std::string> notes;
    for (const auto& [what, count] : counts) {
        notes.push_back(fmt::format("{} of {} models: {}", dimension_facts()[what.first].title,
                                    count, what.second));
    }
    return notes;
}

std::optional<std::string> unknown_errors(const QualityTable& table,
                                          const std::vector<std::size_t>& models,
                                          const PerDimension<double>& weights) {
    std::size_t values = 0, without = 0;
    for (const std::size_t m : models) {
        for (const DimensionFacts& facts : dimension_facts()) {
            const QualityCell& cell = table.models[m].cell(facts.dimension);
            if (facts.dimension == Dimension::parameters || !cell.value ||
                weights[static_cast<std::size_t>(facts.dimension)] == 0)
                continue;
            ++values;
            without += cell.standard_error ? 0 : 1;
        }
    }
    if (without == 0) return std::nullopt;
    return fmt::format(
        "{} of {} values have no standard error and are taken as exact: intervals are too narrow",
        without, values);
}

PerDimension<double> equal_weights() {
    PerDimension<double> weights;
    weights.fill(1);
    return weights;
}

}  // namespace assay::quality
