// assay mad rank, assay mad status: the results of the answers, and the remaining work.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/mad/rank.h"
#include "cli/cmd_mad.h"
#include "cli/command.h"

namespace assay::cli {
namespace {

constexpr std::string_view mad_rank_examples = R"(
assay mad rank mad
assay mad rank mad --votes dawid-skene --stop-at 0.95
assay mad rank mad --ablation --against accuracies.csv
assay mad rank mad --without resnet18 --json -o ranking.json
)";

constexpr std::string_view mad_status_examples = R"(
assay mad status mad
assay mad status mad --json
)";

}  // namespace

int mad_rank(std::vector<std::string> arguments) {
    auto app = make_app("mad rank",
                        "Rank the classifiers of a competition by people's answers, with intervals "
                        "of the places and the probability that one is better than another. Status "
                        "3 while questions are open.",
                        mad_rank_examples);
    std::filesystem::path folder;
    mad::RankOptions options;
    std::string votes = "majority";
    Output output;
    app->add_option("competition", folder, "Folder of the competition")
        ->required()
        ->type_name("COMPETITION");
    app->add_option("--votes", votes,
                    "How answers are combined: majority, or dawid-skene, which weighs annotators "
                    "by their reliability")
        ->type_name("{majority,dawid-skene}")
        ->capture_default_str();
    app->add_option("--alpha", options.ratios.alpha,
                    "Laplace smoothing of the correct and incorrect images of each pair")
        ->check(not_below_zero())
        ->type_name("A")
        ->capture_default_str();
    app->add_option("--k", options.k, "Use only the first K images of each pair (default: all)")
        ->check(above_zero())
        ->type_name("K");
    app->add_flag("--ablation", options.ablation,
                  "Also show the rankings from fewer images of each pair");
    app->add_option(
           "--against", options.against,
           "csv with the columns model and score, accuracy or rank, to compare the ranking with")
        ->check(CLI::ExistingFile)
        ->type_name("CSV");
    app->add_option(
           "--tags", options.tags,
           "csv with the columns image and tag (or mode), for errors and places by tag (default: "
           "the tags of the answers)")
        ->check(CLI::ExistingFile)
        ->type_name("CSV");
    app->add_option(
           "--bootstraps", options.bootstraps,
           "Resamples of images and annotators for the intervals of the places; 0: no intervals")
        ->check(CLI::Range(0, 1'000'000))
        ->type_name("N")
        ->capture_default_str();
    app->add_option("--draws", options.posterior.draws,
                    "Draws of the posterior for the intervals of the ranks")
        ->check(CLI::Range(100, 10'000'000))
        ->type_name("N")
        ->capture_default_str();
    app->add_option("--level", options.posterior.level, "Confidence level of the intervals")
        ->check(CLI::Range(0.5, 0.9999))
        ->type_name("P")
        ->capture_default_str();
    app->add_option("--stop-at", options.stop_at,
                    "Check whether the ranking is this certain: expected Kendall correlation with "
                    "the ranking from all selected images")
        ->check(CLI::Range(0.0, 1.0))
        ->type_name("TAU")
        ->capture_default_str();
    app->add_option("--without", options.without, "Exclude this classifier; repeatable")
        ->allow_extra_args(false)
        ->type_name("CLASSIFIER");
    app->add_option("--seed", options.posterior.seed, "Seed of everything random")
        ->check(decimal_number())
        ->type_name("N")
        ->capture_default_str();
    app->add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->check(not_below_zero())
        ->type_name("N");
    output.add_to(*app);
    output.logs.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    options.votes = mad::vote_rule_named(votes);
    const mad::Competition competition = mad::Competition::open(folder);
    const Report report = report_of(mad::rank_classifiers(competition, options));
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

int mad_status(std::vector<std::string> arguments) {
    auto app = make_app("mad status",
                        "Show the state of a competition, what is open, and the next command.",
                        mad_status_examples);
    std::filesystem::path folder;
    Output output;
    app->add_option("competition", folder, "Folder of the competition")
        ->required()
        ->type_name("COMPETITION");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    output.print(report_of(mad::status_of(mad::Competition::open(folder))));
    return Status::done;
}

}  // namespace assay::cli
