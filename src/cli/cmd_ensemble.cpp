// assay ensemble: the mean of several stores as a separate model.
#include <CLI/CLI.hpp>

#include "assay/derived/ensemble.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/print_result.h"

namespace assay::cli {
namespace {

constexpr std::string_view ensemble_examples = R"(
assay ensemble runs/val/resnet50 runs/val/vit-b16
assay ensemble runs/val/a runs/val/b runs/val/c --name three --of logits
)";

}  // namespace

int cmd_ensemble(std::vector<std::string> arguments) {
    auto app = make_app("ensemble",
                        "Average the predictions of several models, or of one model on changed "
                        "images, and store the mean as a model of its own. Says how much the "
                        "members disagree. Status 3: some items have no scores.",
                        ensemble_examples);
    EnsembleOptions options;
    app->add_option("stores", options.stores, "Stores of the same items: two or more")
        ->required()
        ->type_name("STORE");
    add_options(*app, options);
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    options.command = command_line();
    return print_result(output, "ensemble", "members",
                        [&](const ProgressCallback& line) { return make_ensemble(options, line); });
}

}  // namespace assay::cli
