// Reads a table of models that are variants of each other.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace assay {

/// Reads csv or tsv with `model` and `family`. Throws bad_input: no such columns, a row without a
/// name or family, a model that appears twice.
std::vector<std::pair<std::string, std::string>> read_families(const std::filesystem::path& path);

}  // namespace assay
