// assay quality run: the nine dimensions of all models, from one configuration.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "cli/assay_toml.h"
#include "cli/cmd_quality.h"
#include "cli/command.h"
#include "cli/prediction.h"
#include "cli/progress.h"
#include "cli/quality_run.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

constexpr std::string_view quality_run_examples = R"(
assay quality run assay.toml --plan
assay quality run assay.toml
assay quality run assay.toml --out runs-2 --threads 8 --json -o quality.json
)";

}  // namespace

int quality_run(std::vector<std::string> arguments) {
    auto app = make_app(
        "quality run",
        "Measure all nine dimensions of the models of an assay.toml, on the data sets in its table "
        "[quality]. It predicts what is missing (clean, corrupted and attacked) and writes "
        "RUNS/quality.json and RUNS/quality.csv. The same command resumes. Dimensions without data "
        "are named and skipped. docs/assay.toml.md describes the file.",
        quality_run_examples);
    std::filesystem::path file = "assay.toml";
    bool plan_only = false, no_check = false;
    StoreFlags flags;
    Output output;
    app->add_option("config", file, "The configuration")->type_name("TOML")->capture_default_str();
    app->add_flag("--plan", plan_only,
                  "Print the steps, what is done, about how long the rest takes, and what will be "
                  "missing; write nothing");
    app->add_flag("--no-check", no_check,
                  "Do not first check the models on a sample of val (assay check)");
    flags.add_to(*app);
    output.add_to(*app);
    output.logs.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    Plan plan = with_note("reading `" + file.string() + "`", [&] { return read_plan(file); });
    plan.override_with(*app, flags);
    if (!plan.quality) {
        throw Error(
            ErrorCode::bad_input,
            "`" + file.string() + "` has no table [quality], which assigns data sets to roles");
    }
    if (no_check) plan.quality->checks = false;
    plan.draw(!plan.store.dry_run && !plan_only);
    const std::vector<ModelSpec> specs = plan.specs_on({});
    if (plan.store.dry_run) {
        output.write(json_text(plan.resolved(specs)));
        return Status::done;
    }
    Prediction prediction(plan.store.options, opening_here(plan.opening));
    prediction.load(specs);
    quality::QualityRunOptions options = with_note("reading `" + file.string() + "`", [&] {
        return quality_options(plan, prediction.models());
    });
    if (plan_only) {
        ProgressLine progress("plan", "models");
        const quality::QualityPlan steps = plan_quality(options, progress);
        progress.finish();
        output.print(report_of(steps));
        return Status::done;
    }
    return run_quality_step(std::move(options), output);
}

}  // namespace assay::cli
