// The models that are drawn of a pattern, for --model and for [[model]] of an assay.toml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/model/classifier.h"
#include "cli/inputs.h"

namespace assay::cli {

/// Who asks: messages name the option of the command line, or the key of an assay.toml.
enum class DrawnBy { options, keys };

/// The models that are drawn of a pattern (timm:resnet*), and says which. `runs`: the folder of
/// results, where they are listed for a later call; "": none. `keep`: a new list is written there.
/// Throws usage: several models, and no number of draws; as names_in_python() and
/// parse_published().
std::vector<std::string> drawn_models(const std::string& pattern, const DrawFlags& how, DrawnBy by,
                                      const ClassifierOptions& options,
                                      const std::filesystem::path& runs, bool keep);

}  // namespace assay::cli
