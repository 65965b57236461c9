// Plug-ins in Python (`--plugin FILE.py`, docs/plugins.md): their functions run in processes of the
// person's Python, one call at a time in each.
#pragma once

#include <string>

#include "core/plugin_table.h"

namespace assay {

/// For open_plugin(): runs the file in a process, and fills the rows with what it says of its
/// functions. A call of a row takes a process that is free, or starts one more, up to one per core.
/// Processes live as long as the program. Throws as find_interpreter(); bad_input: the file cannot
/// be run, ends its process, defines no functions, takes longer than trial_seconds(); io.
void read_python_plugin(PluginTable& plugin, std::string source);

}  // namespace assay
