// The database of a folder of questions.
#pragma once

#include <filesystem>

#include "core/database.h"

namespace assay::labelling {

/// Throws bad_input: no such folder, another program's file, a newer version; busy; io.
Database open_folder(const std::filesystem::path& folder, Database::Access access);

}  // namespace assay::labelling
