// assay verify: checks every file of a store against its checksum and its store.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/labelling/folder.h"
#include "assay/mad/competition.h"
#include "assay/store/verify.h"
#include "cli/command.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view verify_examples = R"(
assay verify runs
assay verify runs/val/resnet50 --json
assay verify mad
assay verify study
)";

}  // namespace

int cmd_verify(std::vector<std::string> arguments) {
    auto app =
        make_app("verify",
                 "Read every file of every store below PATH and check its checksum, and that it "
                 "belongs to its store and data set. Exit status 2: a file is damaged "
                 "or belongs to another store; 3: shards are missing.",
                 verify_examples);
    std::filesystem::path path;
    app->add_option("path", path,
                    "A RUNS folder, one of its data sets, one store, a competition, or a folder of "
                    "questions")
        ->required()
        ->type_name("PATH");
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    const bool competition = mad::is_competition(path);
    if (competition || labelling::is_labelling_folder(path)) {
        const study::StudyCheck check =
            competition ? mad::verify_competition(path) : labelling::verify_folder(path);
        output.print(report_of(check));
        return check.problems.empty() ? Status::done : Status::bad_input;
    }
    ProgressLine progress("verify", "stores");
    const std::vector<StoreCheck> checks = verify_stores(path, progress);
    progress.finish();
    const Report report = report_of(checks);
    output.print(report);
    return any_damaged(checks) ? Status::bad_input
           : report.partial    ? Status::partial
                               : Status::done;
}

}  // namespace assay::cli
