// Sources: models that a Python loads, by name instead of by file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay {

/// Whether a model is named by a source, not by a file: timm:NAME, torchvision:NAME, hf:NAME,
/// open_clip:NAME, python:FILE.py:NAME, process:DESCRIPTOR.
bool is_python_source(const std::filesystem::path& model);

/// Whether it names many models: timm:resnet*, torchvision:*, open_clip:ViT-B-32/*.
bool is_source_pattern(const std::filesystem::path& model);

/// A model as a file in `folder` names it: a file, or the FILE.py of a source, is relative to that
/// folder.
std::filesystem::path model_from(const std::filesystem::path& folder,
                                 const std::filesystem::path& model);

/// Checked, and with the whole path of a FILE.py, so that the source says the same in every folder.
/// Throws usage: not of that form; bad_input: no such FILE.py.
std::string whole_source(const std::string& source);

/// "timm" of "timm:resnet18".
std::string_view kind_of_source(std::string_view source);
/// "resnet18" of "timm:resnet18", "NAME" of "python:FILE.py:NAME".
std::string_view name_in_source(std::string_view source);

/// A name with "-" for what cannot stand in the name of a store's folder.
std::string as_store_name(std::string_view name);

}  // namespace assay
