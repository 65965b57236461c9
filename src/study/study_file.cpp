#include "study/study_file.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/version.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "study/study_tables.h"
#include "study/times.h"

namespace assay::study {
namespace {

struct StudyFacts {
    std::string_view file;
    std::int64_t application_id;  ///< id in the file's header, independent of its name
    std::string_view noun;        ///< name for messages
    std::string_view missing;     ///< likewise
};

const StudyFacts& facts_of_kind(StudyKind kind) {
    static constexpr StudyFacts competition = {
        "competition.sqlite", 0x414D4144,  // "AMAD"
        "competition",
        "there is no competition (no competition.sqlite); to start one, run `assay mad init`"};
    static constexpr StudyFacts questions = {
        "labelling.sqlite", 0x414C4142,  // "ALAB"
        "folder of questions", "it is not a folder of questions: it has no labelling.sqlite"};
    return kind == StudyKind::competition ? competition : questions;
}

void note_version(Database& database) {
    database.prepare("INSERT INTO schema_version (version, at, assay) VALUES (?, ?, ?)")
        .run(study_version, utc_now(), version);
}

/// Adds columns and tables from later versions.
void bring_up_to_date(Database& database, StudyKind kind) {
    Transaction all(database);
    // Another process may have updated the file meanwhile.
    const std::int64_t there = version_of_study(database, kind);
    if (there == study_version) return;
    for (const Table& table : study_tables()) {
        if (table.since.of(kind) > there) {
            database.execute(sql_of_table(table, study_tables()));
            continue;
        }
        for (const Column& column : table.columns) {
            if (column.since.of(kind) <= there) continue;
            database.execute(fmt::format("ALTER TABLE {} ADD COLUMN {}", table.name,
                                         sql_of_column(table, column, study_tables())));
        }
    }
    note_version(database);
    all.commit();
}

}  // namespace

std::filesystem::path study_file(const std::filesystem::path& folder, StudyKind kind) {
    return folder / facts_of_kind(kind).file;
}

bool is_study(const std::filesystem::path& folder, StudyKind kind) {
    return is_there(study_file(folder, kind));
}

std::filesystem::path without_slash(const std::filesystem::path& folder) {
    const std::filesystem::path whole = absolute_path(folder);
    return whole.has_filename() ? whole : whole.parent_path();
}

std::filesystem::path place_of_study(const std::filesystem::path& folder, StudyKind kind) {
    std::filesystem::path place = without_slash(folder);
    if (!is_study(place, kind) && is_there(place) &&
        (!is_folder(place) || !entries_of(place).empty())) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} exists and is not an empty folder", folder.string()));
    }
    return place;
}

FileLock lock_to_serve(const std::filesystem::path& folder) {
    try {
        return FileLock(folder / "serve.lock");
    } catch (Error& error) {
        error.add_note(fmt::format("serving {}", folder.string()));
        throw;
    }
}

void make_study(Database& database, StudyKind kind) {
    database.execute(fmt::format("PRAGMA application_id = {}", facts_of_kind(kind).application_id));
    Transaction all(database);
    for (const Table& table : study_tables()) database.execute(sql_of_table(table, study_tables()));
    note_version(database);
    all.commit();
}

std::int64_t version_of_study(const Database& database, StudyKind kind) {
    const StudyFacts& facts = facts_of_kind(kind);
    const std::string name = database.path().string();
    if (database.integer("PRAGMA application_id") != facts.application_id)
        refuse(
            fmt::format("{}: it is the database of another program, not a {}", name, facts.noun));
    const bool finished =
        database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'schema_version'") == 1;
    const std::int64_t there =
        finished ? database.integer("SELECT coalesce(max(version), 0) FROM schema_version") : 0;
    if (there < 1)
        refuse(fmt::format("{}: its tables have no version; it was never finished", name));
    if (there > study_version) {
        refuse(fmt::format(
            "{}: its tables have version {}, but this Assay supports up to {}; use a newer Assay",
            name, there, study_version));
    }
    return there;
}

Database open_study(const std::filesystem::path& folder, StudyKind kind, Database::Access access) {
    if (!is_study(folder, kind))
        refuse(fmt::format("{}: {}", folder.string(), facts_of_kind(kind).missing));
    Database database(study_file(folder, kind), access);
    if (version_of_study(database, kind) < study_version && access == Database::Access::write)
        bring_up_to_date(database, kind);
    return database;
}

}  // namespace assay::study
