// What people say of models, for the filters of a report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace assay {

/// A csv table with a column `model` (or `name`): `names`, its other columns in their order, and
/// `models`, by model what each says. Throws bad_input: no such column, a model or a column twice,
/// a text that is no UTF-8.
nlohmann::json read_tags(const std::filesystem::path& file);

/// The same for no file.
nlohmann::json no_tags();

}  // namespace assay
