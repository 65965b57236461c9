#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/mad/questions.h"
#include "study/quantities.h"

namespace assay::mad {

ResultType result_type(ResultOf<QuestionRound>) {
    using Of = QuestionRound;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadQuestions",
         .help = "Questions of this round, and all questions",
         .schema = "assay.mad_questions/1"},
        {
            part<&Of::added>({.help = "New questions of this round, without gold"}),
            part<&Of::added_gold>({}),
            part<&Of::waiting>({.help = "With a budget: earlier questions without an answer"}),
            part<&Of::questions>({.help = "All questions, including gold"}),
            part<&Of::gold>({.help = "Questions with known answers"}),
            part<&Of::open>({.help = "Not settled yet"}),
            part<&Of::saved>({.help = "Questions that several places share"}),
            part<&Of::asked_places>({.help = "Accepted places whose two questions are both asked"}),
            part<&Of::accepted_places>({}),
            part<&Of::control>({.help = "Images of the control sample"}),
            part<&Of::asked_control>({.help = "Of these, with all questions asked"}),
            part<&Of::images_drawn>({.help = "With a budget: images that this round drew"}),
            part<&Of::ask>({.help = "How a budget is spent; null without a budget"}),
            part<&Of::list_tau>({.help = "As in `rank`, before this round; null without a budget "
                                         "and a value to stop at"}),
            part<&Of::stopped>({.help = "True if no more questions are needed"}),
            part<&Of::warnings>({}),
        });
    return rows;
}

Report report_of(const QuestionRound& round) {
    Report report;
    report.title = "Questions of a MAD competition";
    report.warnings = round.warnings;
    Table table;
    table.columns = {{.name = "Questions", .numbers = false}, {.name = "Count"}};
    table.add({std::string("new, by this round"), Count{round.added}});
    table.add({std::string("new, for their known answers"), Count{round.added_gold}});
    if (round.waiting > 0)
        table.add({std::string("of the budget: earlier questions without an answer"),
                   Count{round.waiting}});
    table.add({std::string("in all"), Count{round.questions}});
    table.add({std::string("with known answers"), Count{round.gold}});
    table.add({std::string("open"), Count{round.open}});
    table.add({std::string("saved, because another pair asks the same"), Count{round.saved}});
    table.rule();
    table.add(
        {std::string("selected images, once per pair: asked about"), Count{round.asked_places}});
    table.add({std::string("of"), Count{round.accepted_places}});
    if (round.ask)
        table.add({fmt::format("images drawn by this round ({})", name_of(*round.ask)),
                   Count{round.images_drawn}});
    if (round.control > 0) {
        table.add(
            {std::string("images of the control sample: asked about"), Count{round.asked_control}});
        table.add({std::string("of"), Count{round.control}});
    }
    Section section;
    if (round.list_tau) {
        section.blocks.emplace_back(fmt::format(
            "Expected Kendall correlation with the ranking from all selected images: {:.3f}{}",
            *round.list_tau,
            round.stopped ? ": the target is reached, so no questions are added." : "."));
    }
    section.blocks.emplace_back(std::move(table));
    report.sections.push_back(std::move(section));
    report.records = study::quantities_of(round, "value");
    report.result = to_json(round);
    return report;
}

}  // namespace assay::mad
