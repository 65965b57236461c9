// A threshold for each class with a sigmoid.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/data/class_list.h"

namespace assay {

/// `named` has "NAME=VALUE" for single classes; the name `*` means all other classes. `path`,
/// unless "", is a csv with the columns class (or label, name, id) and threshold, JSON {"cat": 0.3,
/// ...}, or a JSON list in the order of the classes. A value in `named` has priority over the file.
/// Returns one per class, in (0, 1). Throws usage for a text that is not NAME=VALUE. Throws
/// bad_input for an unknown class, a class twice or missing, and a number outside (0, 1). The error
/// names the file and the line, or the text.
std::vector<double> read_thresholds(const std::filesystem::path& path,
                                    std::span<const std::string> named, const ClassList& classes);

/// Throws usage if the text is not NAME=VALUE with a number.
void check_threshold(const std::string& named);

}  // namespace assay
