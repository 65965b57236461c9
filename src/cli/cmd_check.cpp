// assay check: checks whether a model, its settings and a data set fit together.
#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/evaluate/check.h"
#include "assay/evaluate/predict.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view check_examples = R"(
assay check --model resnet50.pt --preset torchvision --data imagenet/val
assay check -m m.onnx -d images --list labels.csv --sample 500
assay check -m m.pt -d val --decode-all --json
)";

}  // namespace

int cmd_check(std::vector<std::string> arguments) {
    auto app = make_app(
        "check",
        "Find out whether a model, its settings and a data set fit together. It checks the order "
        "of the classes, doubled softmax, mean and std, channel order, and input size. It also "
        "checks for scores that depend on the batch, and unreadable images. Exit status 3: "
        "something is wrong (an error, marked ✗), and results would be incorrect.",
        check_examples);
    ModelFlags models;
    DataFlags data;
    Output output;
    CheckOptions options;
    models.add_to(*app);
    data.add_to(*app);
    app->add_option("--sample", options.sample, "Number of images to run through the classifier")
        ->type_name("N")
        ->capture_default_str();
    app->add_option("--seed", options.seed, "Which images")
        ->check(decimal_number())
        ->capture_default_str();
    app->add_flag("--decode-all", options.decode_all, "Read every image instead of a sample");
    app->add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->type_name("N");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    require_inputs(models, data, "check");
    data.sample.check();
    models.draw({});
    models.classes_of_data = classes_of(data);
    const ClassifierOptions opening = models.opening();
    options.reopen = [&](const ModelSpec& spec) { return open_classifier(spec, opening); };
    std::vector<CheckedPair> pairs;
    for (ModelSpec& spec : models.resolve()) {
        note(describe(spec));
        LoadedModel model;
        try {
            model = load_model(spec, opening);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            auto finding = refused_size(spec, options, error.message());
            if (!finding) throw;
            for (std::size_t i = 0; i < data.folders.size(); ++i) {
                std::vector<std::string> unsaid;
                pairs.push_back({spec.name, data.options(i, {}, unsaid).name, {*finding}});
            }
            continue;
        }
        for (std::size_t i = 0; i < data.folders.size(); ++i) {
            std::vector<std::string> notes;
            const DatasetOptions how = data.options(i, model.spec.classes, notes);
            DataToCheck opened = open_to_check(data.folders[i], how, &notes);
            say_notes(opened.dataset, notes);
            opened.dataset = data.sampled(std::move(opened.dataset), how, {});
            CheckedPair pair{model.spec.name, opened.dataset.name, {}};
            ProgressLine progress(pair.model + " on " + pair.dataset, "steps");
            pair.findings =
                check_model(*model.classifier, model.spec, std::move(opened), options, progress);
            pairs.push_back(std::move(pair));
        }
    }
    output.print(report_of(pairs));
    return any_fault(pairs) ? Status::partial : Status::done;  // so that scripts stop
}

}  // namespace assay::cli
