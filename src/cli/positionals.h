// Which arguments behind an option of several values are its values, and which are the command's.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace assay::cli {

/// CLI11 gives an option of several values all that follows. This moves the arguments that are no
/// values of it to the front, where they are the command's own. Behind numbers these begin at the
/// first that is no number. Behind other values they begin at the first path that exists or is
/// named as a model, as long as none came before; behind a path, at the first model. So they do
/// behind an option that may stand alone. A command without arguments of its own, --model, and a
/// command line with `--` stay as they are.
std::vector<std::string> own_arguments_first(const CLI::App& app,
                                             const std::vector<std::string>& arguments);

}  // namespace assay::cli
