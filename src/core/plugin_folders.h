// Where the libraries lie that this program opens while it runs: what runs models, and MPI.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Folders that plug-ins are looked for in where ASSAY_PLUGIN_DIR does not say: beside this program
/// or library, in its build, where it was installed.
std::vector<std::filesystem::path> usual_plugin_folders();

/// The file in the first folder that has it: in ASSAY_PLUGIN_DIR alone where that is set, so that a
/// test or a user can be sure which plug-in runs. `searched`, unless null, gets the folders, by
/// commas, where it is in none.
std::optional<std::filesystem::path> find_in_plugin_folders(std::string_view file,
                                                            std::string* searched = nullptr);

}  // namespace assay
