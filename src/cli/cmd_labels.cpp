// assay labels: label sets from votes, questions to ask, and statistics of label sets.
#include "cli/cmd_labels.h"

#include "cli/command.h"

namespace assay::cli {
namespace {

const std::vector<Command>& label_parts() {
    static const std::vector<Command> table = {
        {"aggregate", "Combine annotators' votes into label sets (Dawid-Skene, majority, weighted)",
         labels_aggregate},
        {"propose", "Propose labels to ask annotators about, from the models' predictions",
         labels_propose},
        {"export", "Write the answers from the labelling page as csv for the next command",
         labels_export},
        {"stats", "Count labels per image, images per class, and classes that occur together",
         labels_stats},
    };
    return table;
}

constexpr std::string_view labels_help_examples = R"(
  assay labels propose runs/val --recall 0.97 --questions questions.csv
  assay labels aggregate votes.csv --data images --to csv --label-sets labels.csv
  assay labels stats labels.csv
)";

}  // namespace

int cmd_labels(std::vector<std::string> arguments) {
    return run_part("labels", "part", label_parts(),
                    "Build label sets from votes, choose the questions for annotators, write their "
                    "answers, and count labels.",
                    labels_help_examples, std::move(arguments));
}

}  // namespace assay::cli
