// assay certify: accuracy that holds within a radius, by randomised smoothing.
#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/evaluate/certify.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/inputs.h"
#include "cli/prediction.h"
#include "cli/progress.h"

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
    ModelFlags models;
    DataFlags data;
    StoreFlags store;
    CertifyOptions options;
    Output output;
    models.add_to(*app);
    data.add_to(*app);
    const std::size_t input_options = app->get_options().size();
    add_options(*app, options, "Smoothing");
    store.add_to(*app);
    output.add_to(*app);
    output.logs.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    require_inputs(models, data, "certify");
    data.sample.check();
    options.predict = store.options;
    check(options);

    data.names_parts = data.name.empty();
    data.runs = store.options.runs;
    models.draw(store.options.runs, !store.dry_run);
    models.classes_of_data = classes_of(data);
    const std::vector<ModelSpec> specs = models.resolve();
    if (store.dry_run) {
        output.print(plan_report_of(specs));
        return Status::done;
    }
    std::vector<LoadedModel> loaded;
    for (const ModelSpec& spec : specs) {
        note(describe(spec));
        loaded.push_back(load_model(spec, models.opening()));
    }
    TypedPrediction typed{"certify", {}, "", typed_options(*app, input_options)};
    for (const std::filesystem::path& file : models.files) typed.models.push_back(file.string());
    std::vector<CertifiedModel> results;
    for (std::size_t i = 0; i < data.folders.size(); ++i) {
        const Dataset dataset = data.open(i, loaded[0].spec.classes);
        typed.data = data.folders[i].string();
        try_and_warn(loaded, dataset, options.predict, *self_comm(), typed);
        ProgressLine progress(dataset.name, "images");
        for (CertifiedModel& result : certify_models(loaded, dataset, options, progress))
            results.push_back(std::move(result));
        progress.finish();
    }
    const Report report = report_of(results, options);
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
