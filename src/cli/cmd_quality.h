// The parts of `assay quality` that have files of their own.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace assay::cli {

int quality_measure(std::vector<std::string> arguments);
int quality_merge(std::vector<std::string> arguments);
int quality_run(std::vector<std::string> arguments);
int quality_shape_bias(std::vector<std::string> arguments);

}  // namespace assay::cli
