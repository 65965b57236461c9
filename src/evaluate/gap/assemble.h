// From counts to the report: the steps that stores.cpp (stores) and table.cpp (published values)
// share.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "evaluate/gap/state.h"

namespace assay {

/// Counts of the same models on two data sets.
struct GapInput {
    std::array<GapDataSet, 2> sets;
    struct Model {
        std::string name;
        std::array<GapState, 2> states;
        std::array<Shape, 2> shapes;  ///< of the stores' rows
        std::array<std::uint64_t, 2> not_scored{};
    };
    std::vector<Model> models;
    /// Why the errors of the two data sets are not independent; "": they are.
    std::string dependent;
};

/// A list of numbers of labels as GapOptions has it: "1-5", "present", "1-9,present".
struct GapSubgroups {
    std::vector<int> numbers;  ///< ascending; all that can be told apart where none is named
    bool present = false;      ///< of these, those that both data sets have
};
/// Throws usage as the metric does, for what is no list.
GapSubgroups gap_subgroups(const std::string& text);

/// `input.models` is put into the report's order. Throws usage: no model, a marked model that is
/// not there.
GapReport assemble_gap(GapInput& input, const GapScheme& scheme, const GapOptions& options);

/// Sorts models by top-1 on the first data set (undefined ones last), then by name.
std::vector<std::size_t> report_order(std::span<const Maybe> top1,
                                      std::span<const std::string> names);

/// One of the further data sets of a table.
GapAlso also_of_table(const GapTable& table, std::size_t which, const GapReport& report);

/// Everything that follows from the models' values alone: ranks, orders, boxes, spreads, counts
/// within the margin, the best. What is sure of it is said by state_about_models().
void describe_models(GapReport& report);

inline const Estimate& side(const GapPair& pair, std::size_t set) {
    return set == 0 ? pair.first : pair.second;
}

}  // namespace assay
