// Creates, opens and updates the file of a study.
#pragma once

#include <filesystem>

#include "core/database.h"
#include "core/file.h"
#include "study/columns.h"

namespace assay::study {

/// The path FOLDER/competition.sqlite or FOLDER/labelling.sqlite.
std::filesystem::path study_file(const std::filesystem::path& folder, StudyKind kind);
/// True if the study exists.
bool is_study(const std::filesystem::path& folder, StudyKind kind);
/// Returns the folder "study" for "study/". Throws io.
std::filesystem::path without_slash(const std::filesystem::path& folder);
/// The path for a new or existing study of this kind: without_slash(). Throws io, and usage if the
/// path is something else.
std::filesystem::path place_of_study(const std::filesystem::path& folder, StudyKind kind);
/// The lock for serving a study, or for changing a study that may be served. Throws busy, io.
FileLock lock_to_serve(const std::filesystem::path& folder);
/// Creates the tables of a new database.
void make_study(Database& database, StudyKind kind);
/// Opens the file. Tables of an older version are updated if opened for writing. Otherwise they are
/// read unchanged, and readers must not use newer columns. Throws bad_input for a missing, foreign,
/// incomplete or newer file. Also throws busy and io.
Database open_study(const std::filesystem::path& folder, StudyKind kind, Database::Access access);
/// The version of a study's tables. Throws the errors of open_study().
std::int64_t version_of_study(const Database& database, StudyKind kind);

}  // namespace assay::study
