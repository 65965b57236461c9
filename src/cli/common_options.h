// Selects the options that `assay COMMAND --help` shows if not all fit on a screen.
#pragma once

#include <cstddef>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace assay::cli {

/// True if --help omits some options of the command ("labels aggregate"), which --help-all shows.
bool has_rare_options(std::string_view command);

/// True if --help shows the option. `app` is the command, with its name as make_app() sets it.
bool is_common(const CLI::App& app, const CLI::Option& option);

/// The commands with a row, in the order of the table, for tests. Returns "" after the last one.
std::string_view split_command(std::size_t index);
/// The names that the table lists for the command, separated by blanks: for tests.
std::string_view listed_options(std::string_view command);

}  // namespace assay::cli
