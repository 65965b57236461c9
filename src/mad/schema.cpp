#include "mad/schema.h"

#include <fmt/format.h>

#include <array>

#include "assay/version.h"
#include "core/refuse.h"
#include "mad/decisions.h"

namespace assay::mad {
namespace {

/// "AMAD", in the header of the file: a competition, whatever it is called.
constexpr std::int64_t application_id = 0x414D4144;

// Numbers of images are those of the data set; negative ones were brought along as gold. Times are
// UTC. Nothing is ever deleted: what is taken back gets a decision that says why.
constexpr const char* version_1 = R"sql(
CREATE TABLE decision (             -- whatever was decided, by whom with which reason
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,             -- see decisions.h
    subject TEXT NOT NULL,          -- the setting, classifier, image or annotator
    value TEXT NOT NULL,
    reason TEXT NOT NULL
) STRICT;
CREATE TABLE setting (              -- the last row of a name counts
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    decision INTEGER NOT NULL REFERENCES decision (id)
) STRICT;
CREATE TABLE class (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL
) STRICT;
CREATE TABLE node (                 -- of the hierarchy
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL
) STRICT;
CREATE TABLE edge (
    id INTEGER PRIMARY KEY,         -- the order decides nothing but the order of parents
    child INTEGER NOT NULL REFERENCES node (number),
    parent INTEGER NOT NULL REFERENCES node (number),
    UNIQUE (child, parent)
) STRICT;
CREATE TABLE classifier (
    number INTEGER PRIMARY KEY,     -- 0, 1, ...: the order in which they came
    name TEXT NOT NULL UNIQUE,
    store TEXT NOT NULL,            -- where its scores were
    store_id TEXT NOT NULL,
    labels_hash TEXT NOT NULL,      -- of the files in predictions/
    confidences_hash TEXT NOT NULL,
    threshold INTEGER NOT NULL CHECK (threshold BETWEEN 0 AND 200),
    scored INTEGER NOT NULL,        -- images with scores
    confident INTEGER NOT NULL,     -- of these, those that reach the threshold
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    decision INTEGER NOT NULL REFERENCES decision (id)
) STRICT;
CREATE TABLE image_block (          -- what the files of 4,096 images in a row were when they were predicted
    block INTEGER PRIMARY KEY,
    digest INTEGER NOT NULL,
    classifier INTEGER NOT NULL REFERENCES classifier (number)  -- whose store says so
) STRICT;
CREATE TABLE image (                -- those that matter: selected, excluded, in the control sample, gold
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    path TEXT NOT NULL,
    near_hash INTEGER               -- perceptual hash, where it was needed
) STRICT;
CREATE TABLE exclusion (            -- never candidates
    image INTEGER PRIMARY KEY REFERENCES image (number),
    decision INTEGER NOT NULL REFERENCES decision (id)
) STRICT;
CREATE TABLE pair (
    id INTEGER PRIMARY KEY,
    first INTEGER NOT NULL REFERENCES classifier (number),
    second INTEGER NOT NULL REFERENCES classifier (number),
    candidates INTEGER NOT NULL,    -- images on which they disagree with confidence
    disagreeing INTEGER NOT NULL,   -- images with different labels, whatever the confidence
    k INTEGER NOT NULL,             -- images that were wanted
    UNIQUE (first, second),
    CHECK (first < second)
) STRICT;
CREATE TABLE selected (
    pair INTEGER NOT NULL REFERENCES pair (id),
    image INTEGER NOT NULL REFERENCES image (number),
    place INTEGER NOT NULL,         -- in the order of discrepancy, from 0; of the replaced ones their old place
    turn INTEGER NOT NULL,          -- in the random order in which a pair's images are asked about
    first_label INTEGER NOT NULL REFERENCES class (number),
    second_label INTEGER NOT NULL REFERENCES class (number),
    units INTEGER NOT NULL,         -- distance of the labels, in 2^-20
    confidence INTEGER NOT NULL CHECK (confidence BETWEEN 0 AND 200),
    state TEXT NOT NULL CHECK (state IN ('accepted', 'replaced', 'duplicate')),
    asked INTEGER NOT NULL CHECK (asked IN (0, 1)),
    decision INTEGER REFERENCES decision (id),  -- why it is not accepted
    PRIMARY KEY (pair, image)
) STRICT, WITHOUT ROWID;
CREATE TABLE control (              -- a random sample of all images
    image INTEGER PRIMARY KEY REFERENCES image (number),
    stratum INTEGER NOT NULL,
    stratum_images INTEGER NOT NULL,-- so many images were in it, and so many of them
    stratum_sample INTEGER NOT NULL -- drawn, each with the same probability
) STRICT;
CREATE TABLE question (             -- "is there a LABEL in IMAGE?"
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,     -- what annotators see of it
    image INTEGER NOT NULL REFERENCES image (number),
    label INTEGER NOT NULL REFERENCES class (number),
    turn INTEGER NOT NULL,          -- random: questions are asked in this order
    gold INTEGER CHECK (gold IN (0, 1)),        -- the known answer of a test question
    decision INTEGER REFERENCES decision (id),  -- where the known answer comes from
    UNIQUE (image, label)
) STRICT;
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
    source TEXT NOT NULL,           -- the file
    key TEXT UNIQUE,                -- what makes a repeated delivery one answer
    counts INTEGER NOT NULL CHECK (counts IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX answer_counts ON answer (question, annotator) WHERE counts = 1;
CREATE INDEX selected_image ON selected (image);
)sql";

/// migrations[v] brings version v to v + 1; version 0 is an empty file.
constexpr std::array<const char*, schema_version> migrations = {version_1};

std::int64_t one_integer(const Database& database, std::string_view sql) {
    Statement row = database.prepare(sql);
    return row.step() ? row.integer(0) : 0;
}

void migrate(Database& database, std::int64_t from) {
    Transaction all(database);
    for (std::int64_t v = from; v < schema_version; ++v) {
        database.execute(migrations.at(static_cast<std::size_t>(v)));
        database.prepare("INSERT INTO schema_version (version, at, assay) VALUES (?, ?, ?)")
            .bind(v + 1)
            .bind(utc_now())
            .bind(std::string_view(version))
            .run();
    }
    all.commit();
}

}  // namespace

void make_schema(Database& database) {
    database.execute(fmt::format("PRAGMA application_id = {}", application_id));
    database.execute(
        "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, at TEXT NOT NULL, "
        "assay TEXT NOT NULL) STRICT");
    migrate(database, 0);
}

void check_schema(Database& database) {
    const std::string name = database.path().string();
    if (one_integer(database, "PRAGMA application_id") != application_id)
        refuse(fmt::format("{}: it is a database of another program, no competition", name));
    const std::int64_t there = one_integer(database, "SELECT max(version) FROM schema_version");
    if (there > schema_version) {
        refuse(
            fmt::format("{}: its tables are of version {}, and this Assay knows up to {}; take "
                        "a newer Assay",
                        name, there, schema_version));
    }
    if (there < 1)
        refuse(fmt::format("{}: its tables have no version; it was never finished", name));
    if (there == schema_version) return;
    if (database.access() == Database::Access::read) {
        refuse(
            fmt::format("{}: its tables are of version {}, which any command that writes brings "
                        "to {}; it may only be read",
                        name, there, schema_version));
    }
    migrate(database, there);
}

}  // namespace assay::mad
