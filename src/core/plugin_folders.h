// Where the libraries lie that this program opens while it runs, what runs models and MPI, and what
// belongs to them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The folders of this program and of the library that holds this code, each once.
std::vector<std::filesystem::path> own_folders();

/// The build folder, if this program, or this library, runs where it was built; "" elsewhere.
std::filesystem::path build_folder();

/// Whether this program, or this library, is run where it was built.
bool runs_where_it_was_built();

/// Folders that plug-ins are looked for in where ASSAY_PLUGIN_DIR does not say: beside this program
/// or library, in its build, where it was installed.
std::vector<std::filesystem::path> usual_plugin_folders();

/// The folders that are looked into: ASSAY_PLUGIN_DIR alone where that is set, so that a test or a
/// user can be sure which plug-in runs; else `before`, then the usual ones.
std::vector<std::filesystem::path> plugin_folders(
    const std::vector<std::filesystem::path>& before = {});

/// The file in the first folder that has it. `searched`, unless null, gets the folders, by commas,
/// where it is in none.
std::optional<std::filesystem::path> find_in_folders(
    const std::vector<std::filesystem::path>& folders, std::string_view file,
    std::string* searched = nullptr);

}  // namespace assay
