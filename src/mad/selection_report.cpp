#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/mad/selection_round.h"

namespace assay::mad {
namespace {

constexpr std::size_t most_selection_rows = 100;

std::vector<Cell> selection_pair_cells(const PairSelection& pair) {
    return {
        pair.first,           pair.second,       Count{pair.disagreeing}, Count{pair.candidates},
        Count{pair.selected}, Count{pair.added}, Count{pair.replaced},    Count{pair.duplicates}};
}

Table selection_numbers(const SelectionRound& round) {
    Table table{.title = "", .columns = {{"", false}, {"images"}}, .rows = {}, .notes = {}};
    table.add({std::string("in the competition"), Count{round.images}});
    table.add({std::string("with scores of every classifier"), Count{round.scored}});
    if (round.excluded > 0) table.add({std::string("excluded"), Count{round.excluded}});
    table.add({std::string("selected, over the pairs"), Count{round.accepted}});
    table.add({std::string("different ones among them"), Count{round.distinct}});
    if (round.control > 0) table.add({std::string("control sample"), Count{round.control}});
    table.notes.push_back(
        fmt::format("{} questions, each image and label once; had every pair its own, {}.",
                    count_text(round.questions), count_text(2 * round.accepted)));
    if (round.scanned == 0)
        table.notes.push_back("Nothing was missing: all pairs are as they were.");
    else
        table.notes.push_back(fmt::format("Images were looked for for {} of {} pairs.",
                                          count_text(round.scanned),
                                          count_text(round.pairs.size())));
    return table;
}

}  // namespace

Report report_of(const SelectionRound& round) {
    Report report;
    report.title =
        fmt::format("{}: images on which classifiers disagree most", round.settings.name);
    Table pairs{.title = fmt::format("Pairs, {} images wanted of each", round.settings.rule.k),
                .columns = {{"first", false},
                            {"second", false},
                            {"disagreeing"},
                            {"candidates"},
                            {"selected"},
                            {"added"},
                            {"replaced"},
                            {"near duplicates"}},
                .rows = {},
                .notes = {}};
    Table records{.title = "",
                  .columns = {{"first", false},
                              {"second", false},
                              {"disagreeing"},
                              {"candidates"},
                              {"selected"},
                              {"added"},
                              {"replaced"},
                              {"duplicates"}},
                  .rows = {},
                  .notes = {}};
    nlohmann::json all = nlohmann::json::array();
    for (const PairSelection& pair : round.pairs) {
        if (pairs.rows.size() < most_selection_rows) pairs.add(selection_pair_cells(pair));
        records.add(selection_pair_cells(pair));
        all.push_back({{"first", pair.first},
                       {"second", pair.second},
                       {"disagreeing", pair.disagreeing},
                       {"candidates", pair.candidates},
                       {"wanted", pair.wanted},
                       {"selected", pair.selected},
                       {"added", pair.added},
                       {"replaced", pair.replaced},
                       {"duplicates", pair.duplicates}});
    }
    if (round.pairs.size() > most_selection_rows)
        pairs.notes.push_back(fmt::format("{} more pairs are in --csv and --json.",
                                          count_text(round.pairs.size() - most_selection_rows)));
    pairs.notes.push_back(
        "disagreeing: images with different labels; candidates: those of them on which both "
        "classifiers are confident.");
    report.sections.push_back(
        {.title = "", .blocks = {selection_numbers(round), std::move(pairs)}, .sections = {}});
    report.records = std::move(records);
    report.result = {{"schema", "assay.mad_selection/1"},
                     {"competition", round.settings.name},
                     {"k", round.settings.rule.k},
                     {"images", round.images},
                     {"scored", round.scored},
                     {"excluded", round.excluded},
                     {"accepted", round.accepted},
                     {"distinct", round.distinct},
                     {"questions", round.questions},
                     {"control", round.control},
                     {"scanned", round.scanned},
                     {"pairs", std::move(all)},
                     {"warnings", round.warnings}};
    report.warnings = round.warnings;
    return report;
}

}  // namespace assay::mad
