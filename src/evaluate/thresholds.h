// Files with a threshold for each class with a sigmoid.
#pragma once

#include <filesystem>
#include <vector>

#include "assay/data/class_list.h"

namespace assay {

/// Csv with the columns class (or label, name, id) and threshold, JSON {"cat": 0.3, ...}, or a JSON
/// list in the order of the classes. Returns one a class, in (0, 1). Throws bad_input with the file
/// and the line: no such class, a class twice or missing, a number outside.
std::vector<double> read_thresholds(const std::filesystem::path& path, const ClassList& classes);

}  // namespace assay
