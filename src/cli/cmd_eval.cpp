// assay eval: from a model and images to a number, in one command.
#include "cli/cmd_eval.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/report/page.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/evaluation.h"
#include "cli/outputs.h"
#include "cli/scoring.h"
#include "cli/typed_options.h"
#include "core/paths.h"
#include "core/text.h"
#include "data/archives.h"
#include "evaluate/options_used.h"
#include "model/model_file_name.h"
#include "model/python/source.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view eval_examples = R"(
assay eval resnet50.pt imagenet/val
assay eval resnet50.pt imagenet/val --preset torchvision
assay eval resnet50.pt imagenet/val --save-settings
assay eval a.pt b.onnx imagenet/val --out runs --json
assay eval resnet50.pt photos --list labels.csv --gate "low(top1) >= 0.75"
assay eval resnet50.pt unlabelled-photos --preset timm
)";

bool is_named_as_model(const fs::path& path) {
    return is_python_source(path) || is_model_name(path) ||
           lower_extension(path.string()) == ".safetensors";  // a checkpoint
}

/// MODEL... DATA: the last argument is the data, unless --data gives it.
void take_positionals(const std::vector<fs::path>& given, EvalInputs& inputs) {
    std::vector<fs::path> paths = given;
    if (inputs.data.folders.empty() && !paths.empty()) {
        if (paths.size() > 1 && is_named_as_model(paths.back()) && is_folder(paths.front())) {
            throw Error(ErrorCode::usage, "pass the images last: type `assay eval " +
                                              as_typed(paths.back().string()) + " " +
                                              as_typed(paths.front().string()) + "`");
        }
        inputs.data.folders = {paths.back()};
        paths.pop_back();
    }
    inputs.models.files.insert(inputs.models.files.end(), paths.begin(), paths.end());
    if (inputs.models.files.empty() || inputs.data.folders.empty()) {
        throw Error(
            ErrorCode::usage,
            inputs.data.folders.empty()
                ? "no model and no images given: type `assay eval MODEL IMAGES`"
                : "no " +
                      std::string(is_named_as_model(inputs.data.folders.front()) ? "images"
                                                                                 : "model") +
                      " given: type `assay eval MODEL IMAGES`");
    }
    if (inputs.data.folders.size() > 1) {
        throw Error(ErrorCode::usage,
                    "assay eval takes one data set; `assay predict -m MODEL -d A -d B` and `assay "
                    "score RUNS` take several");
    }
}

}  // namespace

int cmd_eval(std::vector<std::string> arguments) {
    auto app =
        make_app("eval",
                 "Evaluate models on images: accuracy, calibration, the worst classes and "
                 "suspicious labels. The preprocessing comes from options or a settings file. "
                 "Otherwise it is found on 64 or more labelled images (half of them if fewer than "
                 "128), which are then excluded from the results. The same command resumes. Status "
                 "1: a gate fails; 2: the preprocessing cannot be found; 3: some images have no "
                 "scores.",
                 eval_examples);
    EvalInputs inputs;
    std::vector<fs::path> paths;
    app->add_option("path", paths, "One model or several, then the images")->type_name("PATH");
    inputs.models.add_to(*app);
    inputs.data.add_to(*app);
    const std::size_t input_options = app->get_options().size();
    inputs.predict.command = command_line();
    add_options(*app, inputs.predict, "Results");
    app->add_flag("--save-settings", inputs.save_settings,
                  "Write the preprocessing to a settings file next to the model, for all commands")
        ->group("Results");
    add_option<&MeasureOptions::metrics>(*app, inputs.measure);
    add_option<&MeasureOptions::labels>(*app, inputs.measure);
    add_option<&MeasureOptions::k>(*app, inputs.measure);
    add_option<&MeasureOptions::bins>(*app, inputs.measure);
    add_option<&MeasureOptions::edges>(*app, inputs.measure);
    add_option<&MeasureOptions::gates>(*app, inputs.measure);
    add_options(*app, inputs.measure.resampling);
    GivenResampling given;
    note_resampling(*app, given);
    app->get_option("--seed")->description("Seed of the bootstrap");  // this command has no --null
    Output output;
    output.add_to(*app);
    output.logs.add_to(*app);
    output.add_junit_to(*app);
    std::vector<fs::path> also;
    app->add_option(
           "--also", also,
           "Write the result to this file, too, in the format of its extension; repeatable")
        ->type_name("FILE")
        ->group("Output");
    if (!parse(*app, std::move(arguments))) return Status::done;

    take_positionals(paths, inputs);
    inputs.data.sample.check();
    inputs.data.names_parts = inputs.data.name.empty();
    check(inputs.measure, false);
    check_used(inputs.measure, false);
    check_used(inputs.measure, given);
    output.check_junit(!inputs.measure.gates.empty());
    if (is_folder(inputs.predict.runs)) check_report_place(inputs.predict.runs / "report.html");
    inputs.typed = typed_options(*app, input_options);
    inputs.batch_given = app->count("--batch") > 0;
    inputs.measure.threads = inputs.predict.threads;
    inputs.data.index_folder = archive_index_folder(inputs.predict.runs);

    inputs.models.draw(inputs.predict.runs);
    inputs.models.classes_of_data = classes_of(inputs.data);
    const EvalResult result = run_evaluation(inputs);
    const Report report = report_of(result);
    output.print(report);
    for (const fs::path& file : also)
        write_result(file, render(report, report_format_of(file).value_or(ReportFormat::text)));
    return status_of(report.partial, all_passed(result.gates));
}

}  // namespace assay::cli
