#include "study/annotator_links.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "assay/error.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/terminal_text.h"
#include "core/text.h"
#include "study/secret.h"
#include "study/study_tables.h"

namespace assay::study {
namespace {

/// The bytes "APPL" in the header of the file.
constexpr std::int64_t people_id = 0x4150504C;
constexpr std::size_t longest_name = 200;

/// A token is "<id>.<secret>". The id identifies the row, and only secrets are compared.
std::string token_of(std::int64_t id, std::string_view secret) {
    return fmt::format("{}.{}", id, secret);
}

/// True if a name has no control characters and no invisible characters, with which different names
/// could look equal. Invisible characters are no-break space, soft hyphen, zero-width characters,
/// direction marks and the byte order mark.
bool is_name(std::string_view text) {
    if (text.empty() || text.size() > longest_name || !is_utf8(text)) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = [&](std::size_t at) {
            return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
        };
        const unsigned first = byte(i), second = byte(i + 1), third = byte(i + 2);
        if (first < 0x20 || first == 0x7F) return false;
        if (first == 0xC2 && (second < 0xA0 || second == 0xA0 || second == 0xAD)) return false;
        // Characters U+2000 to U+200F, U+2028 to U+202F, U+205F to U+206F, U+FEFF.
        if (first == 0xE2 && second == 0x80 && (third < 0x90 || (third >= 0xA8 && third < 0xB0)))
            return false;
        if (first == 0xE2 && second == 0x81 && third >= 0x9F && third < 0xB0) return false;
        if (first == 0xEF && second == 0xBB && third == 0xBF) return false;
    }
    return true;
}

void make_tables(Database& database) {
    Transaction all(database);
    database.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", people_id,
                                 people_version));
    for (const Table& table : people_tables())
        database.execute(sql_of_table(table, people_tables()));
    database.prepare("INSERT INTO study (id) VALUES (?)").run(new_secret());
    all.commit();
}

void check_people_file(const Database& database) {
    const std::string name = database.path().string();
    if (database.integer("PRAGMA application_id") != people_id)
        refuse(fmt::format("{}: it is the database of another program", name));
    if (const std::int64_t there = database.integer("PRAGMA user_version");
        there != people_version) {
        refuse(fmt::format("{}: its tables have version {}, but this Assay supports {}", name,
                           there, people_version));
    }
}

/// The process that created the file may have been killed before it created the tables.
bool is_unfinished(const Database& database) {
    return database.integer("SELECT count(*) FROM sqlite_schema") == 0 &&
           database.integer("PRAGMA application_id") == 0;
}

Database open_people(const std::filesystem::path& path) {
    if (!is_there(path)) {
        const mode_t before = ::umask(0077);
        std::optional<Database> made;
        try {
            made.emplace(path, Database::Access::create);
            make_tables(*made);
        } catch (...) {
            ::umask(before);
            throw;
        }
        ::umask(before);
        return std::move(*made);
    }
    Database database(path, Database::Access::write);
    if (is_unfinished(database)) {
        make_tables(database);
        return database;
    }
    check_people_file(database);
    return database;
}

}  // namespace

std::filesystem::path people_file(const std::filesystem::path& folder) {
    return folder / "people.sqlite";
}

std::optional<Database> open_people_to_read(const std::filesystem::path& folder) {
    if (!is_there(people_file(folder))) return std::nullopt;
    Database database(people_file(folder), Database::Access::read);
    if (is_unfinished(database)) return std::nullopt;
    check_people_file(database);
    return database;
}

People::People(const std::filesystem::path& folder) : database_(open_people(people_file(folder))) {
    read();
}

void People::read() {
    people_.clear();
    Statement row = database_.prepare("SELECT id, name, token, revoked FROM person ORDER BY id");
    while (row.step()) {
        Person person;
        person.id = row.integer(0);
        if (person.id != static_cast<std::int64_t>(people_.size()) + 1)
            refuse(fmt::format("{}: person {} is missing", database_.path().string(),
                               people_.size() + 1));
        person.name = row.text(1);
        person.token = row.text(2);
        person.revoked = row.count(3, 1) == 1;
        people_.push_back(std::move(person));
    }
    Statement study = database_.prepare("SELECT id FROM study");
    if (!study.step())
        refuse(fmt::format("{}: it does not name its study", database_.path().string()));
    study_ = study.text(0);
    paused_ = database_.integer("SELECT value FROM state WHERE name = 'paused'") != 0;
}

Person& People::at(std::int64_t id) {
    if (id < 1 || id > static_cast<std::int64_t>(people_.size()))
        throw Error(ErrorCode::usage, fmt::format("no annotator has the number {}", id));
    return people_[static_cast<std::size_t>(id) - 1];
}

const Person& People::of(std::int64_t id) const {
    return const_cast<People*>(this)->at(id);
}

const Person* People::named(std::string_view name) const {
    for (const Person& person : people_)
        if (person.name == name) return &person;
    return nullptr;
}

std::optional<std::int64_t> People::whose(std::string_view token, bool* revoked) const {
    if (revoked != nullptr) *revoked = false;
    // An unknown number also costs a comparison, so that the time is the same.
    static const std::string nobodys = token_of(0, new_secret());
    const Person* claimed = nullptr;
    const std::string_view number = token.substr(0, token.find('.'));
    std::int64_t id = 0;
    for (const char c : number.substr(0, 9)) {
        if (c < '0' || c > '9') id = -1;
        if (id >= 0) id = 10 * id + (c - '0');
    }
    if (id >= 1 && id <= static_cast<std::int64_t>(people_.size()))
        claimed = &people_[static_cast<std::size_t>(id) - 1];
    const bool same = same_secret(token, claimed == nullptr ? nobodys : claimed->token);
    if (!same || claimed == nullptr) return std::nullopt;
    if (claimed->revoked) {
        if (revoked != nullptr) *revoked = true;
        return std::nullopt;
    }
    return claimed->id;
}

const Person& People::add(std::string_view written) {
    const std::string name(trimmed(written));
    if (!is_name(name)) {
        throw Error(ErrorCode::usage,
                    fmt::format("the annotator's name is `{}`; allowed: 1 to {} bytes of text in "
                                "UTF-8 without invisible characters",
                                without_controls(shortened(name)), longest_name));
    }
    if (const Person* there = named(name)) return *there;
    const auto id = static_cast<std::int64_t>(people_.size()) + 1;
    Person person{id, name, token_of(id, new_secret()), false};
    writing();
    database_.prepare("INSERT INTO person (id, name, token, revoked) VALUES (?, ?, ?, 0)")
        .run(id, person.name, person.token);
    people_.push_back(std::move(person));
    return people_.back();
}

const Person& People::new_link(std::int64_t id) {
    Person& person = at(id);
    std::string token = token_of(id, new_secret());
    writing();
    database_.prepare("UPDATE person SET token = ?, revoked = 0 WHERE id = ?").run(token, id);
    person.token = std::move(token);
    person.revoked = false;
    return person;
}

void People::revoke(std::int64_t id, bool revoked) {
    Person& person = at(id);
    writing();
    database_.prepare("UPDATE person SET revoked = ? WHERE id = ?").run(revoked, id);
    person.revoked = revoked;
}

void People::pause(bool paused) {
    writing();
    database_.prepare("INSERT OR REPLACE INTO state (name, value) VALUES ('paused', ?)")
        .run(paused);
    paused_ = paused;
}

std::vector<std::pair<std::int64_t, std::string>> People::held() const {
    std::vector<std::pair<std::int64_t, std::string>> out;
    Statement row = database_.prepare("SELECT person, screen FROM held ORDER BY person, screen");
    while (row.step()) out.push_back({row.integer(0), row.text(1)});
    return out;
}

void People::keep_held(const std::map<std::int64_t, std::vector<std::string>>& screens) {
    // This setting cannot be changed within a transaction. Links are always synced.
    const bool unsynced = !transaction_;
    const auto set_synced = [&](const char* how) {
        if (unsynced) database_.execute(std::string("PRAGMA synchronous = ") + how);
    };
    set_synced("NORMAL");
    try {
        Transaction all(database_);
        Statement gone = database_.prepare("DELETE FROM held WHERE person = ?");
        Statement there = database_.prepare("INSERT INTO held (person, screen) VALUES (?, ?)");
        for (const auto& [person, tokens] : screens) {
            gone.run(person);
            for (const std::string& token : tokens) there.run(person, token);
        }
        all.commit();
    } catch (...) {
        set_synced("FULL");
        throw;
    }
    set_synced("FULL");
}

void People::writing() {
    if (together_ && !transaction_) transaction_.emplace(database_);
}

void People::commit() {
    together_ = false;
    if (!transaction_) return;
    transaction_->commit();
    transaction_.reset();
}

void People::abandon() {
    together_ = false;
    transaction_.reset();
    read();
}

}  // namespace assay::study
