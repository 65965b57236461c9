// The command `assay paper`.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

int cmd_paper(std::vector<std::string> arguments);

}  // namespace assay::cli
