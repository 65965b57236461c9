// The file of a study: how it is made, opened and brought up to date.
#pragma once

#include <filesystem>

#include "core/database.h"
#include "core/file.h"
#include "study/columns.h"

namespace assay::study {

/// FOLDER/competition.sqlite, FOLDER/labelling.sqlite.
std::filesystem::path study_file(const std::filesystem::path& folder, StudyKind kind);
/// Whether it is there.
bool is_study(const std::filesystem::path& folder, StudyKind kind);
/// "study/" is the folder "study". Throws io.
std::filesystem::path without_slash(const std::filesystem::path& folder);
/// Where a new study goes, or one of this kind is: without_slash(). Throws usage: something else is
/// there; io.
std::filesystem::path place_of_study(const std::filesystem::path& folder, StudyKind kind);
/// Held by who serves a study, and by who changes one that may be served. Throws busy, io.
FileLock lock_to_serve(const std::filesystem::path& folder);
/// Makes the tables of a new database.
void make_study(Database& database, StudyKind kind);
/// Opens the file. Tables of an older version are brought up to date where it
/// is opened for writing, and else read as they are: readers ask for no column that came later.
/// Throws bad_input: no study of this kind, another program's file, never finished, a newer
/// version; busy; io.
Database open_study(const std::filesystem::path& folder, StudyKind kind, Database::Access access);
/// The version of its tables. Throws as open_study().
std::int64_t version_of_study(const Database& database, StudyKind kind);

}  // namespace assay::study
