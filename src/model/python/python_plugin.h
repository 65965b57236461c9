// Python plug-ins (`--plugin FILE.py`, docs/plugins.md): their functions run in Python processes of
// the user, with one call at a time in each.
#pragma once

#include <string>

#include "core/plugin_table.h"

namespace assay {

/// Implements open_plugin(): runs the file in a process, and fills the rows from its description of
/// its functions. A call uses a free process, or starts another, up to one per core. Processes live
/// as long as the program. Throws as find_interpreter(); bad_input if the file cannot be run, ends
/// its process, defines no functions, or takes longer than trial_seconds(); io.
void read_python_plugin(PluginTable& plugin, std::string source);

}  // namespace assay
