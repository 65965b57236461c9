// assay mad questions: writes the questions for people, as a table or for Label Studio.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/error.h"
#include "assay/mad/questions.h"
#include "cli/cmd_mad.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "core/shell_word.h"

namespace assay::cli {
namespace {

constexpr std::string_view mad_questions_examples = R"(
assay mad questions mad --out questions.csv
assay mad questions mad --label-studio tasks.json --config labels.xml --prefix "/data/local-files/?d=crawl/"
assay mad questions mad --gold known.csv --out questions.csv
assay mad questions mad --budget 300 --stop-at 0.9 --out questions.csv
assay mad questions mad --budget 300 --ask random
assay mad questions mad --budget 0 --out still-open.csv
)";

}  // namespace

int mad_questions(std::vector<std::string> arguments) {
    auto app = make_app("mad questions",
                        "Write questions about the selected images: \"does this image show "
                        "LABEL?\". Each is asked once, even if several pairs need it, in random "
                        "order and without naming classifiers. Lists all open questions.",
                        mad_questions_examples);
    std::filesystem::path folder, table, tasks, config;
    std::string prefix;
    mad::QuestionOptions options;
    Output output;
    app->add_option("competition", folder, "Folder of the competition")
        ->required()
        ->type_name("COMPETITION");
    app->add_option("--out", table, "Write the open questions as csv (-: stdout)")
        ->type_name("FILE");
    app->add_option("--label-studio", tasks, "Write them as tasks that Label Studio imports")
        ->type_name("FILE");
    app->add_option("--config", config, "Write the labelling configuration that the tasks need")
        ->type_name("FILE");
    app->add_option("--prefix", prefix,
                    "Prefix of each image's path in the tasks: the place where Label Studio finds "
                    "the images")
        ->type_name("TEXT");
    app->add_option("--gold", options.gold,
                    "csv with image, label and answer (yes, no): known answers, to test annotators")
        ->type_name("CSV");
    app->add_option("--budget", options.budget,
                    "Ask about whole images until N questions are open; 0: only list open ones "
                    "(default: all that are missing)")
        ->type_name("N");
    app->add_option_function<std::string>(
           "--ask",
           [&options](const std::string& name) { options.ask = mad::ask_order_named(name); },
           "Images that get the budget: information (likelier if they say more about the ranking), "
           "random (all equally likely), shared (those of most pairs first)")
        ->default_str("information")
        ->type_name("{information,random,shared}");
    app->add_option("--stop-at", options.stop_at,
                    "Add no questions once the ranking is this certain: expected Kendall "
                    "correlation with the ranking from all selected images")
        ->type_name("TAU");
    app->add_option("--reason", options.reason, "Reason, stored with the decision")
        ->type_name("TEXT");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    if (app->count("--ask") > 0 && !options.budget)
        throw Error(
            ErrorCode::usage,
            fmt::format("--ask {} decides how a budget is spent, but no budget is given; `assay "
                        "mad questions {} --budget 300 --ask {}` gives one",
                        name_of(options.ask), shell_word(folder.string()), name_of(options.ask)));
    if (table.empty()) output.check_is_report("questions", "--out");
    if (!prefix.empty() && tasks.empty())
        throw Error(ErrorCode::usage,
                    "--prefix is written to Label Studio's tasks: add --label-studio FILE");
    const int printed = (table == "-" ? 1 : 0) + (tasks == "-" ? 1 : 0) + (config == "-" ? 1 : 0);
    if (printed > 1 || (printed == 1 && output.to_stdout() && output.format != ReportFormat::text))
        throw Error(ErrorCode::usage,
                    "only one output can go to stdout (-); name files for the others");
    if (!table.empty() && table != "-") mad::check_holds_no_answers(table);

    mad::Competition competition = mad::Competition::open(folder, mad::Competition::Access::write);
    const Report report = report_of(ask_questions(competition, options));
    const std::vector<mad::OpenQuestion> open = open_questions(competition);
    if (!table.empty()) write_result(table, questions_csv(open));
    if (!tasks.empty()) write_result(tasks, label_studio_tasks(open, prefix));
    if (!config.empty()) write_result(config, mad::label_studio_config());
    if (printed == 1 && output.to_stdout()) {
        for (const std::string& text : report.warnings) warn(text);
    } else {
        output.print(report);
    }
    if (!open.empty() && table.empty() && tasks.empty())
        note("no questions were written; to write them, add --out FILE or --label-studio FILE");
    if (!open.empty())
        note(fmt::format("next: assay mad answers {} FILE", as_typed(folder.string())));
    return Status::done;
}

}  // namespace assay::cli
