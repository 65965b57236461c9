// assay cost: the cost of classifiers.
#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/evaluate/cost.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view cost_examples = R"(
assay cost resnet50.pt --input-size 224
assay cost a.pt b.onnx c.pt2 --preset torchvision --batch 8 --threads 4
assay cost vit.onnx --input-size 224 --operators --no-latency
assay cost m.pt --preset timm --nodes --json -o cost.json
assay cost timm:resnet18.a1_in1k torchvision:resnet50
)";

}  // namespace

int cmd_cost(std::vector<std::string> arguments) {
    auto app =
        make_app("cost",
                 "Count parameters, multiply-accumulates by operator and peak activation memory of "
                 "classifiers, and measure their memory and latency. Operators are counted as they "
                 "are executed on one batch; those without a rule are named.",
                 cost_examples);
    ModelFlags models;
    CostOptions options;
    Output output;
    bool no_latency = false;
    std::vector<std::filesystem::path> files;
    app->add_option("models", files,
                    "TorchScript (.pt), torch.export (.pt2) or ONNX (.onnx) files; models in "
                    "Python: timm:NAME, ...")
        ->type_name("MODEL");
    models.add_to(*app);
    const std::string group = "Cost";
    app->add_option("-b,--batch,--batch-size", options.batch,
                    "Batch size (default: 1, or the only one that a model accepts)")
        ->type_name("N")
        ->group(group);
    auto* threads = app->add_option("-j,--threads", options.threads, "Threads of the timed runs")
                        ->type_name("N")
                        ->capture_default_str()
                        ->group(group);
    auto* runs = app->add_option("--runs", options.runs, "Timed runs, at least 20")
                     ->type_name("N")
                     ->capture_default_str()
                     ->group(group);
    app->add_flag("--no-latency", no_latency, "Time nothing")
        ->excludes(runs)
        ->excludes(threads)
        ->group(group);
    app->add_flag("--operators", options.operators, "Show a table of each model's operators")
        ->group(group);
    app->add_flag("--nodes", options.nodes, "Show a table of each model's nodes, as executed")
        ->group(group);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    models.files.insert(models.files.begin(), files.begin(), files.end());
    if (models.files.empty())
        throw Error(ErrorCode::usage, "no MODEL given; see `assay cost --help`");
    if (no_latency) {
        options.runs = 0;
    } else if (options.runs == 0) {
        throw Error(ErrorCode::usage, "--runs is 0; --no-latency times nothing");
    }

    models.draw({});
    const std::vector<ModelSpec> specs = models.resolve();
    ProgressLine progress("cost", "models");
    const std::vector<ClassifierCost> results =
        cost_of_models(specs, models.opening(), options, progress);
    progress.finish();
    output.print(report_of(results, options));
    return Status::done;
}

}  // namespace assay::cli
