// What a folder asks, read from its tables.
#pragma once

#include "labelling/book.h"
#include "labelling/folder_settings.h"

namespace assay::labelling {

/// Throws bad_input: a row that names what is not there, a question on no screen, a screen that
/// does not fit the task.
Contents read_folder_contents(const Database& database, const FolderSettings& settings);

}  // namespace assay::labelling
