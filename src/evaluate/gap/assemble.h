// Builds the report from counts: the steps that store_counts.cpp (stores) and published_gap.cpp
// (published values) share.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "evaluate/gap/state.h"

namespace assay {

/// The counts of the same models on two data sets.
struct GapInput {
    std::array<GapDataSet, 2> sets;
    struct Model {
        std::string name;
        std::array<GapState, 2> states;
        std::array<Shape, 2> shapes;  ///< shapes for the stores' rows
        std::array<std::uint64_t, 2> not_scored{};
    };
    std::vector<Model> models;
    /// The reason why the data sets' errors are not independent; "" if they are.
    std::string dependent;
};

/// A list of numbers of labels in the format of GapOptions: "1-5", "present", "1-9,present".
struct GapSubgroups {
    std::vector<int> numbers;  ///< ascending; by default all distinguishable numbers
    bool present = false;      ///< only numbers that both data sets have
};
/// Throws usage as the metric does, for a text that is not a list.
GapSubgroups gap_subgroups(const std::string& text);

/// Sorts `input.models` into the report's order. Throws usage: no model, a marked model that does
/// not exist.
GapReport assemble_gap(GapInput& input, const GapScheme& scheme, const GapOptions& options);

/// Sorts models by top-1 on the first data set (undefined ones last), then by name.
std::vector<std::size_t> report_order(std::span<const Maybe> top1,
                                      std::span<const std::string> names);

/// A further data set of a table.
GapAlso also_of_table(const GapTable& table, std::size_t which, const GapReport& report);

/// The warning about a data set without any model of the gap, in the mean `name` over several.
std::string not_in_mean(const std::string& dataset, const std::string& name);

/// Computes everything that depends only on the models' values: ranks, orders, boxes, spreads,
/// counts within the margin, the best. The statements that are certain come from
/// state_about_models().
void describe_models(GapReport& report);

inline const Estimate& side(const GapPair& pair, std::size_t set) {
    return set == 0 ? pair.first : pair.second;
}

}  // namespace assay
