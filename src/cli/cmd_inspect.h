// The command `assay inspect`.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

int cmd_inspect(std::vector<std::string> arguments);

}  // namespace assay::cli
