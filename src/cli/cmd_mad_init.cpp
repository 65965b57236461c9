// assay mad init: begins a competition.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "cli/cmd_mad.h"
#include "cli/command.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view mad_init_examples = R"(
assay mad init mad runs/crawl
assay mad init mad runs/crawl/resnet50 runs/crawl/vit runs/crawl/convnext -k 30 --confident 0.3
assay mad init mad runs/own --hierarchy things.csv --near-duplicates 6 --seed 7
assay mad init mad runs/own --distance zero-one --threshold 0.5 --cap-mode none
)";

void add_selection(CLI::App& app, mad::InitOptions& options) {
    mad::CompetitionSettings& settings = options.settings;
    mad::SelectionRule& rule = settings.rule;
    app.add_option("-k", rule.k, "Number of images for each pair of classifiers")
        ->type_name("N")
        ->capture_default_str();
    auto* threshold =
        app.add_option("--threshold", settings.threshold, "Lowest confidence of both predictions")
            ->check(CLI::Range(0.0, 1.0))
            ->type_name("P")
            ->capture_default_str();
    app.add_option("--confident", settings.confident,
                   "Instead of a threshold: the proportion of images of which each classifier is "
                   "most sure, so that over-confidence has no advantage")
        ->type_name("P")
        ->excludes(threshold);
    app.add_option_function<std::string>(
           "--distance",
           [&options](const std::string& name) {
               if (std::filesystem::path(name).extension() == ".csv") {
                   options.distances = name;
                   options.settings.distance = mad::DistanceReading::matrix;
               } else {
                   options.distances.clear();
                   options.settings.distance = mad::distance_named(name);
               }
           },
           "Distance between two labels: tree-path, ancestor-min, ancestor-max, graph-closure-min, "
           "graph-closure-max, graph-full-min, graph-full-max, hop, hop-full, zero-one. FILE.csv "
           "has a row and a column for each class")
        ->default_str("tree-path")
        ->type_name("DISTANCE");
    app.add_option("--cap", rule.cap, "Maximum number of images with one label for each pair")
        ->type_name("N")
        ->capture_default_str();
    app.add_option_function<std::string>(
           "--cap-mode",
           [&rule](const std::string& name) { rule.mode = mad::cap_mode_named(name); },
           "Labels that --cap counts: side (each classifier's), first, shared, official (as in the "
           "authors' code), none")
        ->default_str("side")
        ->type_name("{side,first,shared,official,none}");
    app.add_option_function<std::string>(
           "--hashed-ties",
           [&rule](const std::string& order) {
               rule.ties = order.empty() ? mad::TieOrder::pair : mad::tie_order_named(order);
           },
           "Order images at equal distances at random, not by confidence: an order for each pair "
           "(pair, or "
           "no value), or one for all (image). With one order pairs share images")
        ->expected(0, 1)
        ->type_name("{pair,image}");
    app.add_flag("--one-of-a-parent", rule.one_of_a_parent,
                 "For each pair, at most one of the images with the same attribute `parent`");
    app.add_option("--near-duplicates", settings.near_duplicates,
                   "Use only the first of images whose perceptual hashes differ in at most N of 64 "
                   "bits (6 is usual)")
        ->type_name("BITS");
}

}  // namespace

int mad_init(std::vector<std::string> arguments) {
    auto app = make_app("mad init",
                        "Start a competition of two or more classifiers, from their stored "
                        "predictions for the same images, which need no labels.",
                        mad_init_examples);
    std::filesystem::path folder;
    mad::InitOptions options;
    Output output;
    app->add_option("competition", folder, "Folder to make")->required()->type_name("COMPETITION");
    app->add_option("stores", options.stores, "RUNS folder, one of its data sets, or stores")
        ->required()
        ->type_name("RUNS");
    app->add_option("--name", options.settings.name,
                    "Name of the competition (default: the folder's)")
        ->type_name("NAME");
    app->add_option("--hierarchy", options.hierarchy,
                    "Hierarchy of the classes: imagenet, or a file (csv with child and parent, "
                    "wordnet.is_a.txt, data.noun, a JSON tree)")
        ->type_name("HIERARCHY")
        ->capture_default_str();
    app->add_option("--classes", options.classes,
                    "Class list, if the stores have none: a file, or imagenet")
        ->type_name("CLASSES");
    app->add_option("--images", options.images,
                    "Folder of the images (default: where they were predicted)")
        ->type_name("FOLDER");
    app->add_option("--where", options.settings.where,
                    "Only images with this value of an attribute take part (domain=night)")
        ->type_name("ATTRIBUTE=VALUE");
    add_selection(*app, options);
    app->add_option(
           "--votes", options.settings.votes,
           "Maximum number of answers per question, odd; it is settled earlier if they agree")
        ->type_name("N")
        ->capture_default_str();
    app->add_option("--gold", options.settings.gold,
                    "Proportion of questions with known answers, to test annotators")
        ->check(CLI::Range(0.0, 1.0))
        ->type_name("P")
        ->capture_default_str();
    app->add_option("--seed", options.settings.seed, "Seed of all random orders and samples")
        ->check(decimal_number())
        ->capture_default_str();
    app->add_option("--reason", options.reason, "Reason, stored with the settings")
        ->type_name("TEXT");
    app->add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->type_name("N")
        ->check(not_below_zero());
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    const mad::DistanceReading distance = options.settings.distance;
    const bool is_matrix = distance == mad::DistanceReading::matrix;
    if (app->count("--hierarchy") > 0 && (is_matrix || distance == mad::DistanceReading::zero_one))
        throw Error(ErrorCode::usage,
                    fmt::format("--hierarchy {} has no effect, because --distance {} {}; omit one "
                                "of them",
                                as_typed(options.hierarchy),
                                is_matrix ? as_typed(options.distances.string()) : "zero-one",
                                is_matrix ? "has all distances" : "needs no hierarchy"));
    if (app->count("--cap") > 0 && options.settings.rule.mode == mad::CapMode::none)
        throw Error(ErrorCode::usage,
                    fmt::format("--cap {} has no effect, because --cap-mode none limits nothing; "
                                "omit one of them",
                                options.settings.rule.cap));

    ProgressLine line("mad init", "images");
    const mad::Competition competition = mad::Competition::create(folder, options, line);
    line.finish();
    output.print(report_of(competition));
    note(fmt::format("next: assay mad select {}", as_typed(folder.string())));
    return Status::done;
}

}  // namespace assay::cli
