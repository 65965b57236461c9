// assay replicate simulate: studies with a known answer, as files.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <numeric>

#include "assay/replication/simulation.h"
#include "cli/command.h"
#include "cli/replicate_inputs.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

constexpr std::string_view examples = R"(
assay replicate simulate --out study
assay replicate simulate --world lenient --annotators 20 --classes 200 --out study
assay replicate simulate --world matching --annotators 10 --out candidates
)";

}  // namespace

int replicate_simulate(std::vector<std::string> arguments) {
    auto app = make_app(
        "replicate simulate",
        "Draw a replication study whose true adjusted accuracies are known, and write the files of "
        "a "
        "real one with truth.json beside them. Worlds: beta (mixtures of betas), lenient (the "
        "same, "
        "judged by annotators of different leniency), probit (class effects, a share of images "
        "that "
        "everybody selects), steep (easy and hard images, a logistic step), matching (20 original "
        "and 80 candidate images a class).",
        examples);
    replication::SimulationOptions options;
    std::string world = "beta";
    std::filesystem::path folder;
    bool force = false;
    Output output;
    app->add_option("--out", folder, "Folder for the files")->required()->type_name("FOLDER");
    app->add_option("--world", world, "beta, lenient, probit, steep or matching")
        ->capture_default_str()
        ->type_name("WORLD");
    app->add_option("--classes", options.classes, "Classes")->capture_default_str()->type_name("N");
    app->add_option("--images", options.images_per_class, "Images of each class in each set")
        ->capture_default_str()
        ->type_name("N");
    app->add_option("--annotators", options.annotators, "Annotators of each image")
        ->capture_default_str()
        ->type_name("N");
    app->add_option("--classifiers", options.classifiers, "Classifiers")
        ->capture_default_str()
        ->type_name("N");
    app->add_option("--seed", options.seed, "Seed")
        ->check(decimal_number())
        ->capture_default_str()
        ->type_name("N");
    app->add_option("-j,--threads", options.threads, "Threads")
        ->capture_default_str()
        ->type_name("N");
    app->add_flag("--force", force, "Replace files that are there");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    options.world = replication::world_named(world);
    const auto simulation = replication::simulate(options);
    const auto names = replication::write_simulation(simulation, folder, force);
    const auto& truth = simulation.truth;
    const auto mean = [](const std::vector<double>& x) {
        return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
    };
    if (output.json) {
        output.write(json_text({{"schema", "assay.replicate.simulate/1"},
                                {"world", world},
                                {"folder", folder.string()},
                                {"files", names},
                                {"mean",
                                 {{"original", mean(truth.first)},
                                  {"replication", mean(truth.second)},
                                  {"adjusted", mean(truth.adjusted)}}}}));
        return Status::done;
    }
    Table table({{"set"},
                 {"images", Align::right},
                 {"selection rate %", Align::right},
                 {"accuracy %", Align::right}},
                fmt::format("World `{}`: {} annotators, {} classifiers; expected values", world,
                            options.annotators, truth.adjusted.size()));
    table.add({"original", std::to_string(simulation.first.size()), percent_text(truth.first_rate),
               percent_text(mean(truth.first))});
    table.add({"replication", std::to_string(simulation.second.size()),
               percent_text(truth.second_rate), percent_text(mean(truth.second))});
    table.add({"replication, adjusted", "", percent_text(truth.first_rate),
               percent_text(mean(truth.adjusted))});
    std::string list;
    for (const std::string& name : names) list += " " + name;
    table.footer(fmt::format("in {}:{}", folder.string(), list));
    output.write(output.csv ? table.csv() : table.text(output.to_stdout() && stdout_is_terminal()));
    return Status::done;
}

}  // namespace assay::cli
