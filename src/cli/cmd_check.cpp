// assay check: do a model, its settings and a data set fit together?
#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/evaluate/check.h"
#include "assay/evaluate/predict.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view examples = R"(
assay check --model resnet50.pt --preset torchvision --data imagenet/val
assay check -m m.onnx -d images --list labels.csv --sample 500
assay check -m m.pt -d val --decode-all --json
)";

/// The data set under the classifier's classes; where it has others, without classes and with the
/// finding that says so.
Dataset open_to_check(const DataFlags& data, std::size_t index, const ClassList& classes,
                      bool quiet, std::vector<Finding>& findings) {
    try {
        return data.open(index, classes, quiet);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        Dataset dataset =
            data.open(index, ClassList(), true);  // throws again when classes are not what is wrong
        findings.push_back(
            {Finding::Severity::error, "data.classes",
             "the data set's classes are not the classifier's", error.what(),
             "give the classifier's own list with --classes, or the labels with --list"});
        return dataset;
    }
}

}  // namespace

int cmd_check(std::vector<std::string> arguments) {
    auto app = make_app("check",
                        "Find out whether a model, its settings and a data set fit together: order "
                        "of the classes, doubled "
                        "softmax, mean and std, channel order, scores that depend on the batch, "
                        "unreadable images. "
                        "Exit status 2 when results would be wrong.",
                        examples);
    ModelFlags models;
    DataFlags data;
    Output output;
    CheckOptions options;
    bool quiet = false;
    models.add_to(*app);
    data.add_to(*app);
    app->add_option("--sample", options.sample, "Images that go through the classifier")
        ->type_name("N")
        ->capture_default_str();
    app->add_option("--seed", options.seed, "Which images")
        ->check(decimal_number())
        ->capture_default_str();
    app->add_flag("--decode-all", options.decode_all, "Read every image, not only the sample");
    app->add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->type_name("N");
    app->add_flag("-q,--quiet", quiet, "No progress, no notes");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    if (models.files.empty())
        throw Error(ErrorCode::usage, "no --model given; see `assay check --help`");
    if (data.folders.empty())
        throw Error(ErrorCode::usage, "no --data given; see `assay check --help`");
    std::vector<CheckedPair> pairs;
    for (ModelSpec& spec : models.resolve()) {
        const LoadedModel model = load_model(std::move(spec), {models.device});
        for (std::size_t i = 0; i < data.folders.size(); ++i) {
            CheckedPair pair;
            const Dataset dataset =
                open_to_check(data, i, model.spec.classes, quiet, pair.findings);
            pair.model = model.spec.name;
            pair.dataset = dataset.name;
            ProgressLine progress(pair.model + " on " + pair.dataset, "steps", quiet);
            for (Finding& finding :
                 check_model(*model.classifier, model.spec, dataset, options, progress))
                pair.findings.push_back(std::move(finding));
            pairs.push_back(std::move(pair));
        }
    }
    output.print(report_of(pairs));
    return any_fault(pairs) ? Status::bad_input : Status::done;  // so that scripts stop
}

}  // namespace assay::cli
