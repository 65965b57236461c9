#include <fmt/format.h>

#include "assay/mad/questions.h"

namespace assay::mad {

Report report_of(const QuestionRound& round) {
    Report report;
    report.title = "Questions of a MAD competition";
    report.warnings = round.warnings;
    Table table;
    table.columns = {{.name = "Questions", .numbers = false}, {.name = "Count"}};
    table.add({std::string("new, by this round"), Count{round.added}});
    table.add({std::string("new, for their known answers"), Count{round.added_gold}});
    if (round.waiting > 0)
        table.add({std::string("of the budget: asked before, nobody has answered"),
                   Count{round.waiting}});
    table.add({std::string("in all"), Count{round.questions}});
    table.add({std::string("with known answers"), Count{round.gold}});
    table.add({std::string("open"), Count{round.open}});
    table.add({std::string("saved: another pair asks the same"), Count{round.saved}});
    table.rule();
    table.add(
        {std::string("selected images, a pair each: asked about"), Count{round.asked_places}});
    table.add({std::string("of"), Count{round.accepted_places}});
    if (round.control > 0) {
        table.add(
            {std::string("images of the control sample: asked about"), Count{round.asked_control}});
        table.add({std::string("of"), Count{round.control}});
    }
    Section section;
    if (round.list_tau) {
        section.blocks.emplace_back(fmt::format(
            "Expected Kendall correlation with the order that all selected images would give: "
            "{:.3f}{}",
            *round.list_tau, round.stopped ? ": enough, and nothing more is asked." : "."));
    }
    section.blocks.emplace_back(std::move(table));
    report.sections.push_back(std::move(section));
    report.records.columns = {{.name = "quantity", .numbers = false}, {.name = "value"}};
    report.result = {{"schema", "assay.mad_questions/1"},
                     {"added", round.added},
                     {"added_gold", round.added_gold},
                     {"waiting", round.waiting},
                     {"questions", round.questions},
                     {"gold", round.gold},
                     {"open", round.open},
                     {"saved", round.saved},
                     {"asked_places", round.asked_places},
                     {"accepted_places", round.accepted_places},
                     {"control", round.control},
                     {"asked_control", round.asked_control},
                     {"stopped", round.stopped},
                     {"warnings", round.warnings}};
    for (const char* const name :
         {"added", "added_gold", "waiting", "questions", "gold", "open", "saved", "asked_places",
          "accepted_places", "control", "asked_control"}) {
        report.records.add({std::string(name), Count{report.result.at(name).get<std::uint64_t>()}});
    }
    report.result["list_tau"] =
        round.list_tau ? nlohmann::json(*round.list_tau) : nlohmann::json(nullptr);
    return report;
}

}  // namespace assay::mad
