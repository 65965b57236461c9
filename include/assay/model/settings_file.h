// Which files are the settings files (sidecars) of models, by their names and by what they hold.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace assay {

struct ModelSpec;

/// Files beside a model that have the name of its settings file and hold no settings, each with the
/// reason: "stair.json (it is a result of Assay (`assay.scores/2`))". find_sidecar() passes them
/// over.
std::vector<std::string> files_like_sidecars(const std::filesystem::path& model);

/// What people should know of them where a model has no settings file of its own: which were not
/// read, and how to name one.
std::vector<std::string> notes_on_files_like_sidecars(const ModelSpec& spec);

/// The model that is there and whose settings file `file` would be by its name, or is where it is
/// the `config.json` or `preprocessor_config.json` that a folder's models share; "" for none.
std::filesystem::path model_of_sidecar(const std::filesystem::path& file);

}  // namespace assay
