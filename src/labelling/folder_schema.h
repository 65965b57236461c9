// The tables of a folder of questions, version by version, and how the file is opened.
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/database.h"

namespace assay::labelling {

inline constexpr std::int64_t folder_version = 1;

std::filesystem::path folder_file(const std::filesystem::path& folder);
/// Makes the tables of a new database.
void make_folder_schema(Database& database);
/// Throws bad_input: no such folder, another program's file, a newer version; busy; io.
Database open_folder(const std::filesystem::path& folder, Database::Access access);

}  // namespace assay::labelling
