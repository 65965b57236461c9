#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/mad/selection_round.h"
#include "core/result_table.h"

namespace assay::mad {
namespace {

constexpr std::size_t most_selection_rows = 100;

Table selection_numbers(const SelectionRound& round) {
    Table table{.title = "", .columns = {{"", false}, {"images"}}, .rows = {}, .notes = {}};
    table.add({std::string("in the competition"), Count{round.images}});
    table.add({std::string("with scores of every classifier"), Count{round.scored}});
    if (round.excluded > 0) table.add({std::string("excluded"), Count{round.excluded}});
    table.add({std::string("selected, over the pairs"), Count{round.accepted}});
    table.add({std::string("different ones among them"), Count{round.distinct}});
    if (round.control > 0) table.add({std::string("control sample"), Count{round.control}});
    table.notes.push_back(
        fmt::format("{} questions, one for each image and label; separate questions for every pair "
                    "would be {}.",
                    count_text(round.questions), count_text(2 * round.accepted)));
    if (round.scanned == 0)
        table.notes.push_back("Nothing was missing, so all pairs are unchanged.");
    else
        table.notes.push_back(fmt::format("Images were searched for {} of {} pairs.",
                                          count_text(round.scanned),
                                          count_text(round.pairs.size())));
    return table;
}

}  // namespace

ResultType result_type(ResultOf<PairSelection>) {
    using Of = PairSelection;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadPairSelection",
         .columns = "first,second,disagreeing,candidates,selected,added,replaced,duplicates"},
        {
            part<&Of::first>({}),
            part<&Of::second>({}),
            part<&Of::disagreeing>({.help = "Images with different labels"}),
            part<&Of::candidates>(
                {.help = "Of these, images on which both classifiers are confident"}),
            part<&Of::wanted>({}),
            part<&Of::selected>({}),
            part<&Of::added>({.help = "Images added by this round"}),
            part<&Of::replaced>(
                {.help = "Images that people could not judge, or that were excluded"}),
            part<&Of::duplicates>({.help = "Near duplicates of an image before them"}),
        });
    return rows;
}

ResultType result_type(ResultOf<SelectionRound>) {
    using Of = SelectionRound;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadSelection",
         .help = "The images that people are asked about",
         .schema = "assay.mad_selection/1"},
        {
            part<&Of::settings, &CompetitionSettings::name>({.name = "competition"}),
            part<&Of::settings, &CompetitionSettings::rule, &SelectionRule::k>(
                {.help = "Wanted images per pair"}),
            part<&Of::images>({.help = "Of the competition"}),
            part<&Of::scored>({.help = "Of these, images with scores of every classifier"}),
            part<&Of::excluded>({}),
            part<&Of::accepted>({.help = "Places over the pairs"}),
            part<&Of::distinct>({.help = "Different images among them"}),
            part<&Of::questions>({.help = "Different images among these"}),
            part<&Of::control>({.help = "Images of the control sample"}),
            part<&Of::scanned>({.help = "Pairs that this round searched images for"}),
            part<&Of::pairs>({}),
            part<&Of::warnings>({}),
        });
    return rows;
}

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
    for (const PairSelection& pair : round.pairs) {
        if (pairs.rows.size() == most_selection_rows) break;
        add_row(pairs, pair);
    }
    if (round.pairs.size() > most_selection_rows)
        pairs.notes.push_back(fmt::format("{} more pairs are in --csv and --json.",
                                          count_text(round.pairs.size() - most_selection_rows)));
    pairs.notes.push_back(
        "disagreeing: images with different labels; candidates: those of them on which both "
        "classifiers are confident.");
    report.sections.push_back(
        {.title = "", .blocks = {selection_numbers(round), std::move(pairs)}, .sections = {}});
    report.records = table_of(round.pairs);
    report.result = to_json(round);
    report.warnings = round.warnings;
    return report;
}

}  // namespace assay::mad
