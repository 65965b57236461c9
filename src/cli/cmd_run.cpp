// assay run: everything that an assay.toml lists: predictions, and the commands that read them.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay/error.h"
#include "cli/assay_toml.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/inputs.h"
#include "cli/prediction.h"
#include "cli/quality_run.h"
#include "core/file.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

constexpr std::string_view run_examples = R"(
assay run assay.toml
assay run assay.toml --out runs-2 --threads 8
assay run assay.toml --dry-run
)";

/// The worse of two statuses, in this order: bad input, a broken gate, partial, done.
int worse(int a, int b) {
    const auto rank = [](int s) {
        return s == Status::done ? 0 : s == Status::partial ? 1 : s == Status::gate_broken ? 2 : 3;
    };
    return rank(a) >= rank(b) ? a : b;
}

}  // namespace

int cmd_run(std::vector<std::string> arguments) {
    auto app =
        make_app("run",
                 "Run a whole evaluation from assay.toml: make composites ([patchml]) and run the "
                 "models over all data sets. Then run the commands that read their predictions "
                 "([score], [compare], [gap], [labels], [replicate]), and last the nine dimensions "
                 "of [quality]. Options override the file. docs/assay.toml.md describes it.",
                 run_examples);
    std::filesystem::path file = "assay.toml";
    app->add_option("config", file, "The configuration")->type_name("TOML")->capture_default_str();
    StoreFlags flags;
    flags.add_to(*app);
    PluginFiles plugins;
    add_options(*app, plugins);
    if (!parse(*app, std::move(arguments))) return Status::done;

    Plan plan = with_note("reading `" + file.string() + "`", [&] { return read_plan(file); });
    plan.override_with(*app, flags);
    copy_given(*app, plugins, plan.plugins);
    plan.draw(!plan.store.dry_run);
    const std::vector<ModelSpec> specs = plan.specs_on({});
    with_note("reading `" + file.string() + "`", [&] { plan.check(specs); });
    if (plan.store.dry_run) {
        Output().write(json_text(plan.resolved(specs)));
        return Status::done;
    }

    int status = Status::done;
    const auto run_steps = [&](bool making_data, const std::vector<std::string>& datasets) {
        for (const Plan::Step& step : plan.steps) {
            if (step.makes_data != making_data) continue;
            note("[" + step.command + "]");
            with_note("running [" + step.command + "]", [&] {
                for (const auto& command : plan.commands_of(step, specs, datasets))
                    status = worse(status, command->run());
            });
        }
    };
    run_steps(true, {});

    Prediction prediction(plan.store.options, opening_here(plan.opening));
    prediction.load(specs);
    std::optional<quality::QualityRunOptions> dimensions;
    if (plan.quality) {
        with_note("checking [quality]",
                  [&] { dimensions = quality_options(plan, prediction.models()); });
    }
    bool listed = false;
    for (Plan::Data& data : plan.data) {
        if (data.for_quality) continue;
        listed = true;
        const Dataset dataset =
            data.role ? dimensions->data.at(*data.role) : plan.open(data, prediction.classes());
        if (dataset.name != data.flags.name) {
            plan.called[data.flags.name] = dataset.name;
            data.flags.name = dataset.name;  // as run.json records it
        }
        if (data.pixels.empty()) {
            prediction.over(dataset);
        } else {
            prediction.over(dataset, plan.specs_on(data));
        }
    }
    write_file_atomically(plan.store.options.runs / "run.json", json_text(plan.resolved(specs)));
    if (listed) {
        prediction.print(Output());
        status = worse(status, prediction.status());
    }
    run_steps(false, prediction.datasets());
    if (dimensions) {
        note("[quality]");
        with_note("running [quality]", [&] {
            status = worse(status, run_quality_step(std::move(*dimensions), Output()));
        });
    }
    return status;
}

}  // namespace assay::cli
