// assay relabel.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

int cmd_relabel(std::vector<std::string> arguments);

}  // namespace assay::cli
