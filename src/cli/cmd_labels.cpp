// assay labels: label sets from votes, questions to ask, and what label sets look like.
#include "cli/cmd_labels.h"

#include <array>
#include <cstdio>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/outputs.h"

namespace assay::cli {
namespace {

struct Part {
    std::string_view name;
    std::string_view summary;
    int (*run)(std::vector<std::string> arguments);
};

constexpr std::array<Part, 3> parts{{
    {"aggregate", "Label sets from the votes of annotators (Dawid-Skene, majority, weighted)",
     labels_aggregate},
    {"propose", "Which labels to ask annotators about, from what the models see", labels_propose},
    {"stats", "Labels per image, images per class, classes that come together", labels_stats},
}};

std::string help() {
    std::string out =
        "Build label sets from votes, choose the questions for annotators, and count labels.\n\n"
        "Usage: assay labels PART [options]        assay labels PART --help\n\nParts:\n";
    for (const Part& part : parts)
        out += "  " + std::string(part.name) + std::string(12 - part.name.size(), ' ') +
               std::string(part.summary) + "\n";
    out +=
        "\nExamples:\n"
        "  assay labels propose runs/val --recall 0.97 --questions questions.csv\n"
        "  assay labels aggregate votes.csv --data images --to csv --label-sets labels.csv\n"
        "  assay labels stats labels.csv\n";
    return out;
}

}  // namespace

int cmd_labels(std::vector<std::string> arguments) {
    const std::string first = arguments.empty() ? "" : arguments.front();
    if (first.empty() || first == "--help" || first == "-h" || first == "help") {
        write_own(help());
        return first.empty() ? Status::bad_input : Status::done;
    }
    std::vector<std::string> names;
    for (const Part& part : parts) {
        names.emplace_back(part.name);
        if (part.name == first) return part.run({arguments.begin() + 1, arguments.end()});
    }
    throw Error(ErrorCode::usage, "unknown part `" + first + "` of labels" + suggest(first, names) +
                                      " (see `assay labels --help`)");
}

}  // namespace assay::cli
