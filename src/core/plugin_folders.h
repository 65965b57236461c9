// The folders of libraries that the program opens while it runs, such as those for models and MPI,
// and their files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The folder of this program and the folder of the library that contains this code, without
/// repetition.
std::vector<std::filesystem::path> own_folders();

/// The build folder if this program or library runs from it, else "".
std::filesystem::path build_folder();

/// True if this program or library runs from its build folder.
bool runs_where_it_was_built();

/// The folders searched for plug-ins if ASSAY_PLUGIN_DIR is not set: next to this program or
/// library, in its build, and where it was installed.
std::vector<std::filesystem::path> usual_plugin_folders();

/// The folders searched for plug-ins. If ASSAY_PLUGIN_DIR is set, it is the only one, so that a
/// test or a user can be sure which plug-in runs. Otherwise, `before` and the usual ones.
std::vector<std::filesystem::path> plugin_folders(
    const std::vector<std::filesystem::path>& before = {});

/// The file in the first folder that has it. If none has it, `searched` (unless null) gets the
/// folders, separated by commas.
std::optional<std::filesystem::path> find_in_folders(
    const std::vector<std::filesystem::path>& folders, std::string_view file,
    std::string* searched = nullptr);

}  // namespace assay
