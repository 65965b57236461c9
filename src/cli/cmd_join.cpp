// assay join: combines the parts that several processes wrote into one store.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/store/join.h"
#include "cli/command.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view join_examples = R"(
assay join runs
assay join runs/val/resnet50
)";

}  // namespace

int cmd_join(std::vector<std::string> arguments) {
    auto app = make_app("join",
                        "Join the parts of every store below PATH, which several runs of `assay "
                        "predict --part` wrote. Shards are renamed; nothing is computed or copied. "
                        "All commands also read stores in parts; joining only leaves fewer "
                        "folders. Refused while a part is missing or being written.",
                        join_examples);
    std::filesystem::path path;
    app->add_option("path", path, "A RUNS folder, one of its data sets, or one store")
        ->required()
        ->type_name("RUNS");
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    ProgressLine progress("join", "shards");
    const std::vector<JoinedStore> stores = join_parts(path, progress);
    progress.finish();
    output.print(report_of(stores));
    return Status::done;
}

}  // namespace assay::cli
