// assay predict: images + classifiers -> stored predictions.
#include <CLI/CLI.hpp>
#include <optional>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/prediction.h"

namespace assay::cli {
namespace {

constexpr std::string_view predict_examples = R"(
assay predict --model resnet50.pt --preset torchvision --data imagenet/val --out runs
assay predict -m a.pt -m b.onnx -d val -d imagenet-v2 --out runs
assay predict -m m.pt -d flat --list val.csv --storage top20 --batch 32 --out runs
assay predict -m m.pt -d val --out runs --limit 5000
assay predict -m m.pt -d val --out runs --until "half_width(top1) <= 1%"
assay predict -m m.pt -d val --out runs --dry-run
)";

}  // namespace

int cmd_predict(std::vector<std::string> arguments) {
    auto app = make_app(
        "predict",
        "Run classifiers over images and store their predictions. The same command resumes after "
        "an "
        "interruption and skips what is done; images that could not be read are tried again.",
        predict_examples);
    ModelFlags models;
    DataFlags data;
    StoreFlags store;
    Output output;
    models.add_to(*app);
    data.add_to(*app);
    store.add_to(*app);
    std::string until;
    app->add_option("--until", until,
                    "Predict a sample of as many images as this needs, e.g. \"half_width(top1) <= "
                    "0.01\": a pilot of 400 says how many (Stein's two stages)")
        ->type_name("CONDITION")
        ->excludes(app->get_option("--limit"))
        ->excludes(app->get_option("--first"))
        ->group("Images");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    require_inputs(models, data, "predict");

    const std::optional<Until> enough =
        until.empty() ? std::nullopt : std::optional(parse_until(until));
    const std::vector<ModelSpec> specs = models.resolve();
    if (store.dry_run) {
        output.print(plan_report_of(specs));
        return Status::done;
    }
    Prediction prediction(store, models.opening());
    prediction.load(specs);
    for (std::size_t i = 0; i < data.folders.size(); ++i) {
        const Dataset dataset = data.open(i, prediction.classes(), store.quiet);
        prediction.over(enough ? prediction.enough(dataset, *enough, data.seed) : dataset);
    }
    prediction.print(output);
    return prediction.status();
}

}  // namespace assay::cli
