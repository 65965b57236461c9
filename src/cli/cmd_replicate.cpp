// assay replicate: how much of the accuracy gap between a data set and its replication is selection
// bias.
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/replicate_options.h"

namespace assay::cli {
namespace {

const std::vector<Command>& steps() {
    static const std::vector<Command> table = {
        {"frequencies", "Clean raw annotations; count how often each image was selected",
         replicate_frequencies},
        {"match", "Choose images whose selection frequencies match those of a reference",
         replicate_match},
        {"adjust", "Split the accuracy gap into selection bias and the rest", replicate_adjust},
        {"plan", "Plan annotators and images for a wanted interval, from a pilot", replicate_plan},
        {"simulate", "Simulate a study with known ground truth", replicate_simulate},
    };
    return table;
}

constexpr std::string_view replicate_help_examples = R"(
  assay replicate simulate --out study
  assay replicate frequencies study/original.csv study/replication.csv
  assay replicate adjust study/original.csv study/replication.csv --hits study/original-hits.csv study/replication-hits.csv
  assay replicate plan study/original.csv study/replication.csv --width 2
)";

}  // namespace

int cmd_replicate(std::vector<std::string> arguments) {
    return run_part("replicate", "step", steps(),
                    "Estimate how much of the accuracy gap between a data set and its replication "
                    "is selection bias",
                    replicate_help_examples, std::move(arguments));
}

}  // namespace assay::cli
