#include "cli/scoring.h"

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace assay::cli {

void add_measure_options(CLI::App& app, MeasureOptions& options, bool gates) {
    app.add_option("--metrics", options.metrics,
                   "Metrics, comma-separated, with parameters: top1,ece:bins=20,asma.jaccard; "
                   "repeatable (default: all, "
                   "those of label sets where images have several labels)")
        ->type_name("METRICS")
        ->allow_extra_args(false);  // one argument after each: what follows may be a path
    app.add_option(
           "--labels", options.labels,
           "Valid classes of each image, for ReaL, ASMA and the like (ReaL's json, csv, txt, "
           "npy, or an ImageFolder). FILE goes to every data set whose images it names, "
           "NAME=FILE to the data set NAME; repeatable. Single-label metrics still use the data "
           "set's own labels")
        ->type_name("LABELS")
        ->allow_extra_args(false);
    app.add_option(
           "--class-map,--classes-map", options.class_map,
           "Ask over other classes: a map of `assay list maps`, or a file: a list of classes, "
           "or JSON")
        ->type_name("MAP");
    app.add_option("--bins", options.bins, "Bins of the calibration errors (default 15)")
        ->check(CLI::Range(1, 100));
    app.add_option("--edges", options.edges, "Edge rule of ece")
        ->type_name("{left_closed,left_closed_merged,right_closed}");
    app.add_option("--k", options.k, "The k of top-k, several allowed (default 1 5)")
        ->check(CLI::Range(1, 100))
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--subgroups", options.subgroups,
                   "Numbers of labels per image that asma averages over (default 1-5), like "
                   "2,3,4,6,9; `present`: every number that occurs; `1-9,present`: those of them "
                   "that occur, where else a number without images leaves it undefined")
        ->type_name("LIST")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--bootstrap", options.resampling.replicates,
                   "Bootstrap replicates; 0: jackknife")
        ->capture_default_str();
    app.add_option("--null", options.null_draws,
                   "Draw labels N times from the probabilities (200 is usual): what ece and ace "
                   "would be if calibrated")
        ->type_name("N")
        ->check(CLI::Range(0, 10000));
    app.add_option("--seed", options.resampling.seed, "Seed of the bootstrap and of --null")
        ->check(decimal_number())
        ->capture_default_str();
    app.add_option("--level", options.resampling.level, "Confidence level of the intervals")
        ->check(CLI::Range(0.5, 0.9999))
        ->capture_default_str();
    app.add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->check(CLI::NonNegativeNumber);
    if (!gates) return;
    app.add_option("--gate", options.gates,
                   "A condition to meet, e.g. \"top1 >= 0.75\", \"low(top1) >= 70%\"; repeatable; "
                   "status 1 when one "
                   "breaks, 2 when no value can reach its bound")
        ->type_name("CONDITION")
        ->allow_extra_args(false);
}

}  // namespace assay::cli
