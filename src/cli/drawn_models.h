// The models that are drawn for a pattern, for --model and for [[model]] of an assay.toml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/model/classifier.h"
#include "cli/inputs.h"

namespace assay::cli {

/// The source of the request: messages name the option of the command line, or the key of an
/// assay.toml.
enum class DrawnBy { options, keys };

/// Draws the models for a pattern (timm:resnet*), and prints them. `runs` is the folder of results,
/// which contains the list for a later call, or "". With `keep`, a new list is written there.
/// Throws usage if there are several models and no number of draws, and as names_in_python() and
/// parse_published() do.
std::vector<std::string> drawn_models(const std::string& pattern, const DrawFlags& how, DrawnBy by,
                                      const ClassifierOptions& options,
                                      const std::filesystem::path& runs, bool keep);

}  // namespace assay::cli
