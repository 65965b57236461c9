#include <algorithm>

#include <fmt/format.h>

#include "assay/decisions/cost_decisions.h"
#include "assay/describe_result.h"
#include "core/result_table.h"
#include "decisions/described_decisions.h"

namespace assay {

using decisions::CostCell;
using decisions::CostDecision;
using decisions::CostDecisions;

ResultType result_type(ResultOf<CostCell>) {
    using Of = CostCell;
    static constexpr auto rows = describe_result<Of>(
        {.name = "CostCell", .help = "Images of one class with one decision"},
        {part<&Of::truth>({.help = "Id of the class"}),
         part<&Of::decision>({.help = "Id of a class, or `abstain`"}),
         part<&Of::cost>({.help = "Of one image"}),
         part<&Of::images>({.help = "Images for which this decision has the lowest expected cost"}),
         part<&Of::likeliest>({.help = "Images if the likeliest class is the decision"})});
    return rows;
}

ResultType result_type(ResultOf<CostDecision>) {
    using Of = CostDecision;
    static constexpr auto rows = describe_result<Of>(
        {.name = "CostDecision",
         .columns = "model,dataset,images,cost=cost.value,cost_low=cost.interval.low,"
                    "cost_high=cost.interval.high,likeliest_cost=likeliest_cost.value,"
                    "difference=difference.value,difference_low=difference.interval.low,"
                    "difference_high=difference.interval.high,abstained=abstained.value,changed,"
                    "constant,constant_cost"},
        {part<&Of::model>({}), part<&Of::dataset>({}), part<&Of::images>({}),
         part<&Of::cost>(
             {.help = "Mean per image, of the decisions with the lowest expected cost"}),
         part<&Of::likeliest_cost>({.help = "Mean cost if the likeliest class is the decision"}),
         part<&Of::difference>({.help = "`cost` minus `likeliest_cost`, on the same images"}),
         part<&Of::abstained>({.help = "Undefined without a column `abstain`"}),
         part<&Of::changed>({.help = "Images whose decision is not the likeliest class"}),
         part<&Of::constant>({.help = "The decision that is cheapest for all images alike"}),
         part<&Of::constant_cost>({.help = "Its mean cost on these images"}),
         part<&Of::cells>({.help = "Classes and decisions that occur"})});
    return rows;
}

ResultType result_type(ResultOf<CostDecisions>) {
    using Of = CostDecisions;
    static constexpr auto rows = describe_result<Of>(
        {.name = "CostDecisions",
         .help = "What `assay decide --costs` prints",
         .schema = "assay.cost_decisions/1"},
        {part<&Of::level>({.help = "Of the intervals"}),
         part<&Of::costs>({.help = "The file of the costs"}), part<&Of::models>({}),
         part<&Of::not_scored>({.help = "Images without scores, which are skipped"}),
         part<&Of::notes>({}), part<&Of::warnings>({})});
    return rows;
}

namespace decisions {
namespace {

constexpr std::size_t most_cells_shown = 20;

Table cost_table(const CostDecisions& result) {
    Table table;
    table.title = fmt::format("Cost per image by {}", result.costs.filename().string());
    const bool abstains = std::ranges::any_of(
        result.models, [](const CostDecision& one) { return one.abstained.value.has_value(); });
    table.columns = {{"model", false},
                     {"data set", false},
                     {"images", true},
                     {"lowest expected cost", true, Column::Show::value_and_interval},
                     {"likeliest class", true, Column::Show::value_and_interval},
                     {"difference", true, Column::Show::value_and_interval, true},
                     {"changed", true}};
    if (abstains) table.columns.push_back({"abstained %", true, Column::Show::value_and_interval});
    for (const CostDecision& one : result.models) {
        std::vector<Cell> cells = {one.model,          one.dataset,    Count{one.images}, one.cost,
                                   one.likeliest_cost, one.difference, Count{one.changed}};
        if (abstains) cells.emplace_back(one.abstained);
        table.add(std::move(cells));
    }
    for (const CostDecision& one : result.models)
        table.notes.push_back(fmt::format("{} on {}: always `{}` costs {:.4g} per image", one.model,
                                          one.dataset, one.constant, one.constant_cost));
    table.notes.push_back("expected costs need calibrated probabilities: assay calibrate --help");
    for (const std::string& note : result.notes) table.notes.push_back(note);
    return table;
}

/// The cells that cost the most.
Table cell_table(const CostDecision& one) {
    std::vector<const CostCell*> order;
    for (const CostCell& cell : one.cells) order.push_back(&cell);
    const auto total = [](const CostCell* cell) {
        return cell->cost * static_cast<double>(cell->images);
    };
    std::ranges::stable_sort(
        order, [&](const CostCell* a, const CostCell* b) { return total(a) > total(b); });
    Table table;
    table.title = fmt::format("{} on {}: decisions that cost the most", one.model, one.dataset);
    table.columns = {{"class", false}, {"decision", false},  {"cost", true},
                     {"images", true}, {"total cost", true}, {"by likeliest class", true}};
    for (std::size_t i = 0; i < std::min(order.size(), most_cells_shown); ++i)
        table.add({order[i]->truth, order[i]->decision, fmt::format("{:.6g}", order[i]->cost),
                   Count{order[i]->images}, fmt::format("{:.6g}", total(order[i])),
                   Count{order[i]->likeliest}});
    if (order.size() > most_cells_shown)
        table.notes.push_back(fmt::format("{} more cells: --json has all",
                                          count_text(order.size() - most_cells_shown)));
    return table;
}

}  // namespace

Report report_of(const CostDecisions& result) {
    Report report;
    report.records = table_of(result.models);
    Section section;
    section.blocks.emplace_back(cost_table(result));
    for (const CostDecision& one : result.models) section.blocks.emplace_back(cell_table(one));
    report.sections.push_back(std::move(section));
    report.result = json_of(result);
    report.warnings = result.warnings;
    report.partial = result.not_scored > 0 || result.refused > 0;
    return report;
}

}  // namespace decisions
}  // namespace assay
