// assay check: do a model, its settings and a data set fit together?
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/check.h"
#include "assay/evaluate/predict.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using nlohmann::json;

constexpr std::string_view examples = R"(
assay check --model resnet50.pt --preset torchvision --data imagenet/val
assay check -m m.onnx -d images --list labels.csv --sample 500
assay check -m m.pt -d val --decode-all --json
)";

const char* mark(Finding::Severity severity, bool colour) {
    switch (severity) {
        case Finding::Severity::ok:
            return colour ? "\033[32m✓\033[0m" : "✓";
        case Finding::Severity::note:
            return "·";
        case Finding::Severity::warning:
            return colour ? "\033[33m!\033[0m" : "!";
        case Finding::Severity::error:
            return colour ? "\033[31m✗\033[0m" : "✗";
    }
    return "";
}

std::string findings_text(const std::vector<Finding>& findings, bool colour) {
    std::string out;
    for (const Finding& f : findings) {
        out += fmt::format("{} {}\n", mark(f.severity, colour), f.title);
        if (!f.detail.empty()) out += "    " + f.detail + "\n";
        if (!f.advice.empty()) out += "    → " + f.advice + "\n";
    }
    return out;
}

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

/// An error is bad input, so that scripts stop; warnings are for people.
int status_of(const std::vector<Finding>& findings) {
    const bool wrong = std::any_of(findings.begin(), findings.end(), [](const Finding& f) {
        return f.severity == Finding::Severity::error;
    });
    return wrong ? Status::bad_input : Status::done;
}

}  // namespace

int cmd_check(std::vector<std::string> arguments) {
    auto app = make_app("check",
                        "Find out whether a model, its settings and a data set fit together: order "
                        "of the classes, doubled "
                        "softmax, mean and std, channel order, answers that depend on the batch, "
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
    if (!quiet) {
        options.progress = [](std::string_view step) { note(step); };
    }

    int status = Status::done;
    json all = json::array();
    std::string text;
    Table table({{"model"}, {"data set"}, {"id"}, {"severity"}, {"title"}, {"detail"}, {"advice"}});
    for (ModelSpec& spec : models.resolve()) {
        const LoadedModel model = load_model(std::move(spec), {models.device});
        for (std::size_t i = 0; i < data.folders.size(); ++i) {
            std::vector<Finding> findings;
            const Dataset dataset = open_to_check(data, i, model.spec.classes, quiet, findings);
            const auto found = check_model(*model.classifier, model.spec, dataset, options);
            findings.insert(findings.end(), found.begin(), found.end());
            status = std::max(status, status_of(findings));
            text += fmt::format("{} on {}\n", model.spec.name, dataset.name) +
                    findings_text(findings, output.to_stdout() && stdout_is_terminal());
            for (const Finding& f : findings) {
                const std::string severity(name_of(f.severity));
                table.add(
                    {model.spec.name, dataset.name, f.id, severity, f.title, f.detail, f.advice});
                all.push_back({{"model", model.spec.name},
                               {"dataset", dataset.name},
                               {"id", f.id},
                               {"severity", severity},
                               {"title", f.title},
                               {"detail", f.detail},
                               {"advice", f.advice}});
            }
        }
    }
    output.write(output.json ? json_text(all) : output.csv ? table.csv() : text);
    return status;
}

}  // namespace assay::cli
