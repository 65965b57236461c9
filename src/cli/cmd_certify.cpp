// assay certify: accuracy that holds within a radius, by randomised smoothing.
#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/evaluate/certify.h"
#include "cli/described.h"
#include "cli/model_command.h"

namespace assay::cli {
namespace {

constexpr std::string_view certify_examples = R"(
assay certify --model noise25.pt --preset timm --data imagenet/val --limit 500 --sigma 0.25
assay certify -m noise50.pt -d cifar10 --sigma 0.5 --radii 0,0.25,0.5,1 --json -o certified.json
assay plot certify certified.json -o curve.pdf
)";

}  // namespace

int cmd_certify(std::vector<std::string> arguments) {
    auto app = make_app(
        "certify",
        "Certify accuracy by randomised smoothing (Cohen et al. 2019): within its l2 radius, no "
        "change of an image alters its class. Train the model with noise. If the run is "
        "interrupted, rerun it to resume.",
        certify_examples);
    ModelCommand command("certify", "images");
    CertifyOptions options;
    command.add_to(*app, [&] { add_options(*app, options, "Smoothing"); });
    if (!parse(*app, std::move(arguments))) return Status::done;
    command.check();
    options.predict = command.store.options;
    check(options);

    const std::vector<LoadedModel> loaded = command.load();
    if (loaded.empty()) return Status::done;
    std::vector<CertifiedModel> results;
    command.over_each(*app, loaded, [&](const Dataset& dataset, ProgressLine& progress) {
        for (CertifiedModel& result : certify_models(loaded, dataset, options, progress))
            results.push_back(std::move(result));
    });
    return command.print(report_of(results, options));
}

}  // namespace assay::cli
