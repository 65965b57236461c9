// The parts of `assay labels`.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

int labels_aggregate(std::vector<std::string> arguments);
int labels_export(std::vector<std::string> arguments);
int labels_propose(std::vector<std::string> arguments);
int labels_stats(std::vector<std::string> arguments);

}  // namespace assay::cli
