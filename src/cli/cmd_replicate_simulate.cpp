// assay replicate simulate: writes simulated studies with a known truth.
#include <CLI/CLI.hpp>

#include "assay/replication/steps.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/replicate_options.h"

namespace assay::cli {
namespace {

constexpr std::string_view replicate_simulate_examples = R"(
assay replicate simulate --out study
assay replicate simulate --world lenient --annotators 20 --classes 200 --out study
assay replicate simulate --world matching --annotators 10 --out candidates
)";

}  // namespace

int replicate_simulate(std::vector<std::string> arguments) {
    auto app = make_app(
        "replicate simulate",
        "Simulate a replication study with known adjusted accuracies, and write the files of a "
        "real study and truth.json. A world is a model of the selection rates. `beta` has mixtures "
        "of betas. `lenient` adds annotators of different leniency. `probit` has class effects, "
        "and a proportion of images that everybody selects. `steep` has easy and hard images, a "
        "logistic step. `matching` has 20 original and 80 candidate images per class.",
        replicate_simulate_examples);
    replication::SimulateStep step;
    replication::SimulationOptions& options = step.simulation;
    Output output;
    app->add_option("--out", step.out, "Folder for the files")->required()->type_name("FOLDER");
    app->add_option("--world", step.world, "beta, lenient, probit, steep or matching")
        ->capture_default_str()
        ->type_name("{beta,lenient,probit,steep,matching}");
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
    app->add_flag("--force", step.force, "Replace existing files");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    ProgressLine line("simulate", "classes");
    const auto outcome = run_simulate(step, line);
    line.finish();
    output.print(report_of(outcome));
    return Status::done;
}

}  // namespace assay::cli
