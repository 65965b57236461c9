// The parts of `assay quality` that have their own files, and the options that several of them
// share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command.h"

namespace assay::cli {

/// Adds --level, the level of the intervals.
void add_level(CLI::App& app, double& level);
/// Adds --seed, the seed of all random numbers.
void add_seed(CLI::App& app, std::uint64_t& seed);

int quality_measure(std::vector<std::string> arguments);
int quality_merge(std::vector<std::string> arguments);
int quality_run(std::vector<std::string> arguments);
int quality_shape_bias(std::vector<std::string> arguments);

}  // namespace assay::cli
