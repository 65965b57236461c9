// Decides which files are settings files (sidecars) of models, by their names and contents.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct ModelSpec;

/// Files next to a model that have the name of its settings file but contain no settings. Each
/// comes with its reason: "stair.json (it is a result of Assay (`assay.scores/2`))". find_sidecar()
/// ignores them.
std::vector<std::string> files_like_sidecars(const std::filesystem::path& model);

/// Notes about these files if a model has no settings file: which files were ignored, and how to
/// name one.
std::vector<std::string> notes_on_files_like_sidecars(const ModelSpec& spec);

/// The existing model to which `file` belongs by its name, or "" if none. It belongs to a model if
/// it would be the model's settings file. It also belongs to a model if it is the `config.json` or
/// `preprocessor_config.json` that a folder's models share.
std::filesystem::path model_of_sidecar(const std::filesystem::path& file);

}  // namespace assay
