// assay replicate: how much of the accuracy gap between a data set and its replication is selection
// bias.
#include <cstdio>
#include <string>
#include <vector>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/replicate_options.h"

namespace assay::cli {
namespace {

const std::vector<Command>& steps() {
    static const std::vector<Command> table = {
        {"frequencies", "Clean raw annotations; count how often each image was selected",
         replicate_frequencies},
        {"match", "Choose images whose selection frequencies match those of a reference",
         replicate_match},
        {"adjust", "Split the accuracy gap into what remains and selection bias", replicate_adjust},
        {"plan", "From a pilot: annotators and images for a wanted interval", replicate_plan},
        {"simulate", "Write a made-up study with its truth beside it", replicate_simulate},
    };
    return table;
}

std::string help() {
    std::string out =
        "How much of the accuracy gap between a data set and its replication is selection bias\n\n"
        "Usage: assay replicate STEP [options]        assay replicate STEP --help\n\nSteps:\n";
    out += command_lines(steps(), false);
    return out +
           "\nExamples:\n"
           "  assay replicate simulate --out study\n"
           "  assay replicate frequencies study/original.csv study/replication.csv\n"
           "  assay replicate adjust study/original.csv study/replication.csv --hits "
           "study/original-hits.csv "
           "study/replication-hits.csv\n"
           "  assay replicate plan study/original.csv study/replication.csv --width 2\n";
}

}  // namespace

int cmd_replicate(std::vector<std::string> arguments) {
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" ||
        arguments[0] == "help") {
        write_own(help());
        return arguments.empty() ? Status::bad_input : Status::done;
    }
    std::vector<std::string> names;
    for (const Command& step : steps()) {
        if (step.name == arguments[0]) return step.run({arguments.begin() + 1, arguments.end()});
        names.emplace_back(step.name);
    }
    throw Error(ErrorCode::usage, "unknown step `" + arguments[0] + "`" +
                                      suggest(arguments[0], names) +
                                      " (see `assay replicate --help`)");
}

}  // namespace assay::cli
