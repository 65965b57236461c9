// Every command of the program with arguments that give a result: what the sweep runs.
#pragma once

#include <string>
#include <vector>

#include "scratch.h"

namespace assay {

/// One command, or one part of a command, and a call of it over what make_sweep_inputs() wrote.
struct SweepRow {
    std::string command;                 ///< as typed: "score", "labels stats"
    std::vector<std::string> arguments;  ///< after the command; FOLDER/ stands for the inputs
    bool results = true;                 ///< has --format; the demo tells a story instead
    bool needs_torch = false;
};
/// Several rows for a command whose result depends on what is asked.
const std::vector<SweepRow>& sweep_rows();

/// The words after `assay`: the command's, then the arguments with the folder put in.
std::vector<std::string> words_of(const SweepRow& row, const Scratch& folder);

/// Two data sets with two models each, label sets, votes, a replication study, images and a plan.
void make_sweep_inputs(const Scratch& folder);

/// The commands of the program and the parts of those that have parts, as their help lists them.
std::vector<std::string> commands_of_the_program();

}  // namespace assay
