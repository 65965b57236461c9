// assay eval: a row of the table of commands.
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

int cmd_eval(std::vector<std::string> arguments);

}  // namespace assay::cli
