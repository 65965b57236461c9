// Sources: names of models that Python loads, in place of files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

/// True if a model is given by a source and not by a file: timm:NAME, torchvision:NAME, hf:NAME,
/// open_clip:NAME, python:FILE.py:NAME, process:DESCRIPTOR.
bool is_python_source(const std::filesystem::path& model);

/// True if a source matches many models: timm:resnet*, torchvision:*, open_clip:ViT-B-32/*.
bool is_source_pattern(const std::filesystem::path& model);

/// Resolves a model that is named in a file in `folder`: a file, or the FILE.py of a source, is
/// relative to that folder.
std::filesystem::path model_from(const std::filesystem::path& folder,
                                 const std::filesystem::path& model);

/// Checks the source and makes the path of a FILE.py absolute, so that it means the same in every
/// folder. Throws usage for another form; bad_input if the FILE.py does not exist.
std::string whole_source(const std::string& source);

/// The library: "timm" for "timm:resnet18".
std::string_view kind_of_source(std::string_view source);
/// The name: "resnet18" for "timm:resnet18", "NAME" for "python:FILE.py:NAME".
std::string_view name_in_source(std::string_view source);

/// The name with "-" for characters that a store's folder name cannot have.
std::string as_store_name(std::string_view name);

}  // namespace assay
