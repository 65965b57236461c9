// assay quality measure and shape-bias: the nine dimensions from stored predictions, and one of
// them for people.
#include <CLI/CLI.hpp>
#include <array>

#include "assay/evaluate/attack.h"
#include "assay/quality/measure.h"
#include "assay/quality/shape_bias_of_people.h"
#include "cli/cmd_quality.h"
#include "cli/progress.h"
#include "cli/ranks.h"

namespace assay::cli {
namespace {

using namespace quality;

constexpr std::string_view quality_measure_examples = R"(
assay quality measure runs --val val --cue-conflict cue-conflict -o quality.csv
assay quality measure runs --val val --mixed-same mixed_same --mixed-rand mixed_rand
assay quality measure runs --val v1 --attacked v1-200 --eps 4/255 --parameters resnet50=25.6 --json
)";

constexpr std::string_view quality_people_examples = R"(
assay quality shape-bias model-vs-human/raw-data/cue-conflict
assay quality shape-bias cue-conflict_subject-*.csv --json
)";

}  // namespace

int quality_measure(std::vector<std::string> arguments) {
    auto app =
        make_app("quality measure",
                 "Measure the nine dimensions of classifiers from stored predictions, with "
                 "standard errors. The table is the input of assay quality score, choose, ...",
                 quality_measure_examples);
    MeasureQualityOptions options;
    Output output;
    std::array<std::string, role_count> data;
    std::string eps = "8/255", space = "pixels";
    std::vector<std::string> parameters;
    app->add_option("runs", options.runs, "RUNS folder: a folder for each data set in it")
        ->required()
        ->type_name("RUNS");
    for (const RoleFacts& facts : role_facts()) {
        auto* option = app->add_option("--" + std::string(facts.name),
                                       data[static_cast<std::size_t>(facts.role)],
                                       "Data set: " + std::string(facts.is))
                           ->type_name("DATASET");
        if (facts.role == Role::val) option->required();
    }
    app->add_option("--corrupted", options.corrupted,
                    "Data set with the corrupted versions (default: that of --val)")
        ->type_name("DATASET");
    app->add_option("--attacked", options.attacked,
                    "Data set with the attacks (default: that of --val)")
        ->type_name("DATASET");
    app->add_option("--eps", eps, "Budget of the attacks")->type_name("EPS")->capture_default_str();
    app->add_option("--space", space,
                    "Space of the attacks: pixels, or normalised-clamped as published")
        ->check(CLI::IsMember({"pixels", "normalised-clamped"}))
        ->type_name("NAME")
        ->capture_default_str();
    app->add_option("--model", options.models, "Measure only this model; repeatable")
        ->allow_extra_args(false)
        ->type_name("CLASSIFIER");
    app->add_option("--parameters", parameters,
                    "MODEL=MILLIONS, or a table (csv, json) with the parameters of its models; "
                    "repeatable")
        ->allow_extra_args(false)
        ->type_name("P");
    app->add_flag("--own-class-sketch", options.own_class_sketch,
                  "The sketches' labels are the classifier's own (the 1000-class ImageNet-Sketch)");
    app->add_option("--null-draws", options.null_draws,
                    "Draws of labels for the calibration error of a calibrated classifier; 0: none")
        ->type_name("N")
        ->capture_default_str();
    add_level(*app, options.level);
    add_seed(*app, options.seed);
    app->add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->type_name("N")
        ->check(not_below_zero());
    output.add_to(*app);
    output.logs.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    for (std::size_t role = 0; role < role_count; ++role) {
        if (!data[role].empty()) options.data[static_cast<Role>(role)] = data[role];
    }
    options.eps = parse_eps(eps);
    if (space != "pixels") options.space = AttackSpace::normalised_clamped;
    for (const std::string& text : parameters) add_parameters(options.parameters, text);
    ProgressLine line("measuring", "images");
    const MeasuredQuality measured = measure_quality(options, ranks(), line);
    line.finish();
    output.print(report_of(measured));
    return measured.partial ? Status::partial : Status::done;
}

int quality_shape_bias(std::vector<std::string> arguments) {
    auto app = make_app("quality shape-bias",
                        "Compute the shape bias of people, for each person and for all, from their "
                        "answers to cue-conflict images.",
                        quality_people_examples);
    std::vector<std::filesystem::path> answers;
    double level = 0.95;
    Output output;
    app->add_option(
           "answers", answers,
           "csv files or folders of them, as model-vs-human publishes them (docs/formats.md)")
        ->required()
        ->type_name("CSV");
    add_level(*app, level);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    output.print(report_of(shape_bias_of_people(answers, level)));
    return Status::done;
}

}  // namespace assay::cli
