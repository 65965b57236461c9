// Separates the values of an option with several values from the command's own arguments after it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace assay::cli {

/// CLI11 gives all following arguments to an option with several values. This function moves the
/// arguments that are not its values to the front, so that they become the command's own. After
/// numbers, the command's own arguments begin at the first argument that is not a number. After
/// other values, they begin at the first path that exists or has a model's name, if no path came
/// before. After a path, they begin at the first model. The same applies after an option that may
/// have no value. Commands without their own arguments, --model, and command lines with `--` are
/// not changed.
std::vector<std::string> own_arguments_first(const CLI::App& app,
                                             const std::vector<std::string>& arguments);

}  // namespace assay::cli
