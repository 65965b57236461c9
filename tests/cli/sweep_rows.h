// Every command of the program, with arguments that give a result, for the sweep test.
#pragma once

#include <string>
#include <vector>

#include "scratch.h"

namespace assay {

/// A command or a part of a command, and a call on the files of make_sweep_inputs().
struct SweepRow {
    std::string command;                 ///< as typed, such as "score" or "labels stats"
    std::vector<std::string> arguments;  ///< arguments; FOLDER/ stands for the inputs
    bool results = true;                 ///< whether the command has --format (`demo` does not)
    bool needs_torch = false;
};
/// A command has several rows if its options select different results.
const std::vector<SweepRow>& sweep_rows();

/// The words after `assay`: the command, then the arguments with the folder inserted.
std::vector<std::string> words_of(const SweepRow& row, const Scratch& folder);

/// Two data sets with two models each, label sets, votes, a replication study, images and a plan.
void make_sweep_inputs(const Scratch& folder);

/// The commands of the program and the parts of those that have parts, as their help lists them.
std::vector<std::string> commands_of_the_program();

}  // namespace assay
