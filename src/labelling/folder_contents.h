// Reads a folder's questions from its tables.
#pragma once

#include "labelling/book.h"
#include "labelling/folder_settings.h"

namespace assay::labelling {

/// Throws bad_input for a reference to a missing row, a question on no screen, and a screen that
/// does not fit the task.
Contents read_folder_contents(const Database& database, const FolderSettings& settings);

}  // namespace assay::labelling
