#include "labelling/folder_schema.h"

#include <fmt/format.h>

#include "assay/labelling/folder.h"
#include "assay/version.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "mad/decisions.h"

namespace assay::labelling {
namespace {

/// "ALAB", in the header of the file: a folder of questions, whatever it is called.
constexpr std::int64_t folder_application = 0x414C4142;

// decision, setting, class, image, question, annotator and answer are as those of competitions, so
// that the same code reads them. Nothing is ever deleted.
constexpr const char* folder_version_1 = R"sql(
CREATE TABLE decision (             -- whatever was decided, with its reason
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    value TEXT NOT NULL,
    reason TEXT NOT NULL
) STRICT;
CREATE TABLE setting (              -- the last row of a name counts
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    decision INTEGER NOT NULL REFERENCES decision (id)
) STRICT;
CREATE TABLE class (                -- the labels that are asked about
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    definition TEXT NOT NULL,       -- '': nobody gave one
    synonyms TEXT NOT NULL          -- a line each
) STRICT;
CREATE TABLE image (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL              -- relative ones begin at the setting image_root
) STRICT;
CREATE TABLE question (             -- "is there a LABEL in IMAGE?"
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,     -- what annotators see of it
    image INTEGER NOT NULL REFERENCES image (number),
    label INTEGER NOT NULL REFERENCES class (number),
    turn INTEGER NOT NULL,
    gold INTEGER CHECK (gold IN (0, 1)),        -- the known answer of a test question
    decision INTEGER REFERENCES decision (id),
    UNIQUE (image, label)
) STRICT;
CREATE TABLE screen (               -- questions that are shown together
    number INTEGER PRIMARY KEY,     -- from 1, in the order of asking
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE shown (
    screen INTEGER NOT NULL REFERENCES screen (number),
    place INTEGER NOT NULL,         -- from 0
    question INTEGER NOT NULL UNIQUE REFERENCES question (id),
    PRIMARY KEY (screen, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE annotator (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    blocked INTEGER NOT NULL CHECK (blocked IN (0, 1)),
    decision INTEGER REFERENCES decision (id)
) STRICT;
CREATE TABLE answer (               -- of one annotator to one question the last one counts
    id INTEGER PRIMARY KEY,
    question INTEGER NOT NULL REFERENCES question (id),
    annotator INTEGER NOT NULL REFERENCES annotator (id),
    answer INTEGER NOT NULL CHECK (answer IN (0, 1, 2)),  -- no, yes, cannot say
    at TEXT NOT NULL,
    source TEXT NOT NULL,
    key TEXT UNIQUE,                -- what makes a repeated delivery one answer
    counts INTEGER NOT NULL CHECK (counts IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX answer_counts ON answer (question, annotator) WHERE counts = 1;
)sql";

std::int64_t folder_integer(const Database& database, std::string_view sql) {
    Statement row = database.prepare(sql);
    return row.step() && !row.is_null(0) ? row.integer(0) : 0;
}

void check_folder_schema(const Database& database) {
    const std::string name = database.path().string();
    if (folder_integer(database, "PRAGMA application_id") != folder_application)
        refuse(
            fmt::format("{}: it is a database of another program, no folder of questions", name));
    if (folder_integer(database,
                       "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_version'") == 0)
        refuse(fmt::format("{}: its tables have no version; it was never finished", name));
    const std::int64_t there = folder_integer(database, "SELECT max(version) FROM schema_version");
    if (there > folder_version) {
        refuse(
            fmt::format("{}: its tables are of version {}, and this Assay knows up to {}; take "
                        "a newer Assay",
                        name, there, folder_version));
    }
    if (there < 1)
        refuse(fmt::format("{}: its tables have no version; it was never finished", name));
}

}  // namespace

std::filesystem::path folder_file(const std::filesystem::path& folder) {
    return folder / "labelling.sqlite";
}

bool is_labelling_folder(const std::filesystem::path& folder) {
    return is_there(folder_file(folder));
}

void make_folder_schema(Database& database) {
    database.execute(fmt::format("PRAGMA application_id = {}", folder_application));
    Transaction all(database);
    database.execute(
        "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, at TEXT NOT NULL, "
        "assay TEXT NOT NULL) STRICT");
    database.execute(folder_version_1);
    database.prepare("INSERT INTO schema_version (version, at, assay) VALUES (?, ?, ?)")
        .bind(folder_version)
        .bind(mad::utc_now())
        .bind(std::string_view(version))
        .run();
    all.commit();
}

Database open_folder(const std::filesystem::path& folder, Database::Access access) {
    if (!is_labelling_folder(folder)) {
        refuse(fmt::format("{}: it is no folder of questions: it has no labelling.sqlite",
                           folder.string()));
    }
    Database database(folder_file(folder), access);
    check_folder_schema(database);
    return database;
}

}  // namespace assay::labelling
