#include "quality/cell_notes.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/text.h"
#include "quality/by_name.h"

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
        notes.push_back(fmt::format("{} of {}: {}", dimension_facts()[what.first].title,
                                    how_many(count, "model"), what.second));
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
        "{} of {} {} no standard error and {} taken as exact: intervals are too narrow", without,
        how_many(values, "value"), without == 1 ? "has" : "have", without == 1 ? "is" : "are");
}

PerDimension<DrawnCells> draws_of_cells(const QualityTable& table,
                                        const std::vector<std::size_t>& models,
                                        const PerDimension<double>& weights) {
    PerDimension<DrawnCells> draws{};
    for (const std::size_t m : models) {
        for (std::size_t d = 0; d < dimension_count; ++d) {
            const QualityCell& cell = table.models[m].cells[d];
            if (weights[d] == 0 || !cell.value) continue;
            (is_joint(cell)            ? draws[d].joint
             : cell.standard_error > 0 ? draws[d].independent
                                       : draws[d].exact) += 1;
        }
    }
    return draws;
}

std::string text_of_draws(const PerDimension<DrawnCells>& draws) {
    std::vector<std::string> joint;
    for (std::size_t d = 0; d < dimension_count; ++d) {
        const DrawnCells& cells = draws[d];
        if (cells.joint == 0) continue;
        const std::size_t all = cells.joint + cells.independent + cells.exact;
        std::string text(dimension_facts()[d].title);
        if (cells.joint < all) text += fmt::format(" ({} of {} models)", cells.joint, all);
        joint.push_back(std::move(text));
    }
    return joint.empty() ? ""
                         : fmt::format(
                               "Cells measured on the same images err together: {}; all "
                               "others independently.",
                               fmt::join(joint, ", "));
}

std::map<std::string, DrawnCells> drawn_by_name(const PerDimension<DrawnCells>& draws) {
    std::map<std::string, DrawnCells> out = by_name(draws);
    std::erase_if(out, [](const auto& entry) {
        return entry.second.joint + entry.second.independent + entry.second.exact == 0;
    });
    return out;
}

namespace {

/// The first model for each set of images, keyed by a description of the images.
using FirstOfImages = std::map<std::string, std::string>;

std::string two_of(const FirstOfImages& images) {
    const auto first = images.begin(), second = std::next(first);
    return fmt::format("`{}` on {}, `{}` on {}", first->second, first->first, second->second,
                       second->first);
}

}  // namespace

std::vector<std::string> other_images(const QualityTable& table,
                                      const std::vector<std::size_t>& models,
                                      const PerDimension<double>& weights) {
    std::vector<std::string> warnings;
    for (std::size_t d = 0; d < dimension_count; ++d) {
        if (weights[d] == 0) continue;
        FirstOfImages identities, numbers;
        for (const std::size_t m : models) {
            const QualityModel& model = table.models[m];
            const QualityCell& cell = model.cells[d];
            if (!cell.value) continue;
            if (cell.n > 0 && static_cast<Dimension>(d) != Dimension::shape_bias)
                numbers.emplace(how_many(cell.n, "image"), model.label);
            std::set<std::string> data;  // data sets in any order
            for (const ErrorShare& share : cell.shares) data.insert(shortened(share.data, 24));
            if (!data.empty())
                identities.emplace(fmt::format("{}", fmt::join(data, " + ")), model.label);
        }
        const FirstOfImages& told = numbers.size() > 1 ? numbers : identities;
        if (told.size() < 2) continue;
        warnings.push_back(
            fmt::format("{}: not all models were measured on the same images ({}{}): the ranking "
                        "compares results on different images",
                        dimension_facts()[d].title, two_of(told), told.size() > 2 ? ", ..." : ""));
    }
    return warnings;
}

PerDimension<double> equal_weights() {
    PerDimension<double> weights;
    weights.fill(1);
    return weights;
}

}  // namespace assay::quality
