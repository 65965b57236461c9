#include "core/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <exception>
#include <new>

#include "assay/error.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr int busy_milliseconds = 5000;

[[noreturn]] void throw_database_error(sqlite3* handle, const std::filesystem::path& path,
                                       int code) {
    const std::string why = handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle);
    const std::string name = path.string();
    switch (code & 0xFF) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            throw Error(ErrorCode::busy,
                        fmt::format("{}: another process is writing it; try again", name));
        case SQLITE_READONLY:
        case SQLITE_PERM:
            throw Error(ErrorCode::io, fmt::format("{}: it is read-only ({})", name, why));
        case SQLITE_FULL:
            throw Error(ErrorCode::io, fmt::format("{}: the disk is full", name));
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
            throw Error(ErrorCode::io, fmt::format("{}: {}", name, why));
        case SQLITE_NOMEM:
            throw std::bad_alloc();
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_FORMAT:
            refuse(fmt::format(
                "{}: it is damaged, or not an SQLite database ({}); restore it from a copy", name,
                why));
        case SQLITE_CONSTRAINT:
            refuse(fmt::format("{}: {}", name, why));
        default:
            throw Error(ErrorCode::internal, fmt::format("{}: {} ({})", name, why, code));
    }
}

}  // namespace

struct Statement::Impl {
    sqlite3* handle = nullptr;
    sqlite3_stmt* statement = nullptr;
    const std::filesystem::path* path = nullptr;
    int bound = 0;

    ~Impl() { sqlite3_finalize(statement); }
    void check(int code) const {
        if (code != SQLITE_OK) throw_database_error(handle, *path, code);
    }
    [[noreturn]] void refuse_column(int column, std::string_view allowed) const {
        refuse(fmt::format("{}: column {} of `{}` holds `{}`; allowed: {}", path->string(),
                           sqlite3_column_name(statement, column),
                           shortened(sqlite3_sql(statement), 80), shortened(text_of(column)),
                           allowed));
    }
    std::string text_of(int column) const {
        const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
        const int size = sqlite3_column_bytes(statement, column);
        return bytes == nullptr ? std::string()
                                : std::string(bytes, static_cast<std::size_t>(size));
    }
};

Statement::Statement(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Statement::~Statement() = default;
Statement::Statement(Statement&&) noexcept = default;

Statement& Statement::bind(std::int64_t value) {
    impl_->check(sqlite3_bind_int64(impl_->statement, ++impl_->bound, value));
    return *this;
}

Statement& Statement::bind(std::string_view value) {
    impl_->check(sqlite3_bind_text64(impl_->statement, ++impl_->bound, value.data(), value.size(),
                                     SQLITE_TRANSIENT, SQLITE_UTF8));
    return *this;
}

Statement& Statement::bind_number(double value) {
    impl_->check(sqlite3_bind_double(impl_->statement, ++impl_->bound, value));
    return *this;
}

Statement& Statement::bind_null() {
    impl_->check(sqlite3_bind_null(impl_->statement, ++impl_->bound));
    return *this;
}

bool Statement::step() {
    const int code = sqlite3_step(impl_->statement);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) throw_database_error(impl_->handle, *impl_->path, code);
    return false;
}

void Statement::run() {
    try {
        while (step()) {
        }
    } catch (...) {
        reset();  // the next use starts again, whatever the result of this one
        throw;
    }
    reset();
}

void Statement::reset() {
    sqlite3_reset(impl_->statement);
    sqlite3_clear_bindings(impl_->statement);
    impl_->bound = 0;
}

std::int64_t Statement::integer(int column) const {
    if (sqlite3_column_type(impl_->statement, column) != SQLITE_INTEGER)
        impl_->refuse_column(column, "a whole number");
    return sqlite3_column_int64(impl_->statement, column);
}

std::uint64_t Statement::count(int column, std::uint64_t most) const {
    const std::int64_t value = integer(column);
    if (value < 0 || static_cast<std::uint64_t>(value) > most)
        impl_->refuse_column(column, fmt::format("0 to {}", most));
    return static_cast<std::uint64_t>(value);
}

double Statement::number(int column) const {
    const int type = sqlite3_column_type(impl_->statement, column);
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) impl_->refuse_column(column, "a number");
    return sqlite3_column_double(impl_->statement, column);
}

std::string Statement::text(int column) const {
    return impl_->text_of(column);
}

bool Statement::is_null(int column) const {
    return sqlite3_column_type(impl_->statement, column) == SQLITE_NULL;
}

int Statement::columns() const {
    return sqlite3_column_count(impl_->statement);
}

std::string_view Statement::name(int column) const {
    return sqlite3_column_name(impl_->statement, column);
}

struct Database::Impl {
    std::filesystem::path path;
    Access access;
    sqlite3* handle = nullptr;

    Impl(std::filesystem::path where, Access how) : path(std::move(where)), access(how) {}
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() { sqlite3_close_v2(handle); }

    void open(const std::string& name, int flags) {
        sqlite3_close_v2(handle);
        handle = nullptr;
        const int code =
            sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
        if (code != SQLITE_OK) throw_database_error(handle, path, code);
        sqlite3_busy_timeout(handle, busy_milliseconds);
        // The file may be hostile: nothing in its schema may run, and no statement may damage the
        // file.
        sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
        sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 1 << 28);
        run("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON");
        // Reads the header, which shows whether the file is a database at all.
        run("SELECT count(*) FROM sqlite_schema");
    }
    void run(const std::string& sql) {
        const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
        if (code != SQLITE_OK) throw_database_error(handle, path, code);
    }
};

namespace {

/// The file name as a URI, for names with any characters.
std::string immutable_uri(const std::filesystem::path& path) {
    std::string uri = "file:";
    for (const char c : path.string()) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '-' || c == '_';
        uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri + "?immutable=1";
}

}  // namespace

Database::Database(const std::filesystem::path& path, Access access)
    : impl_(std::make_unique<Impl>(path, access)) {
    if (access == Access::create) {
        if (is_there(path))
            throw Error(ErrorCode::usage, fmt::format("{} already exists", path.string()));
        impl_->open(path.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        impl_->run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
        return;
    }
    if (!is_there(path)) refuse(fmt::format("{}: there is no such file", path.string()));
    if (access == Access::write) {
        impl_->open(path.string(), SQLITE_OPEN_READWRITE);
        if (sqlite3_db_readonly(impl_->handle, "main") == 1)
            throw Error(ErrorCode::io, fmt::format("{}: it is read-only", path.string()));
        impl_->run("PRAGMA synchronous = FULL");
        return;
    }
    try {
        impl_->open(path.string(), SQLITE_OPEN_READONLY);
    } catch (const Error& error) {
        // A database in WAL mode has a second file next to it, to which even readers write. If that
        // file is absent and cannot be made, the main file alone is complete.
        std::filesystem::path log = path;
        log += "-wal";
        if (error.code() != ErrorCode::io || is_there(log)) throw;
        impl_->open(immutable_uri(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    }
}

Database::~Database() = default;
Database::Database(Database&&) noexcept = default;

const std::filesystem::path& Database::path() const noexcept {
    return impl_->path;
}

Database::Access Database::access() const noexcept {
    return impl_->access;
}

Statement Database::prepare(std::string_view sql) const {
    auto statement = std::make_unique<Statement::Impl>();
    statement->handle = impl_->handle;
    statement->path = &impl_->path;
    statement->check(sqlite3_prepare_v2(impl_->handle, sql.data(), static_cast<int>(sql.size()),
                                        &statement->statement, nullptr));
    return Statement(std::move(statement));
}

std::int64_t Database::integer(std::string_view sql) const {
    Statement row = prepare(sql);
    return row.step() ? row.integer(0) : 0;
}

void Database::execute(const std::string& sql) {
    impl_->run(sql);
}

std::int64_t Database::last_row() const {
    return sqlite3_last_insert_rowid(impl_->handle);
}

bool Database::in_transaction() const {
    return sqlite3_get_autocommit(impl_->handle) == 0;
}

std::int64_t Database::changes() const {
    return sqlite3_changes64(impl_->handle);
}

std::vector<std::string> Database::problems() const {
    std::vector<std::string> found;
    for (Statement check = prepare("PRAGMA integrity_check(20)"); check.step();) {
        if (const std::string line = check.text(0); line != "ok")
            found.push_back(fmt::format("{}: {}", impl_->path.string(), line));
    }
    return found;
}

Transaction::Transaction(Database& database)
    : database_(database), inner_(database.in_transaction()) {
    database_.execute(inner_ ? "SAVEPOINT inner" : "BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
    if (!open_) return;
    try {
        database_.execute(inner_ ? "ROLLBACK TO inner; RELEASE inner" : "ROLLBACK");
    } catch (const std::exception&) {
        // SQLite has rolled back, or rolls back at the next opening of the file.
    }
}

void Transaction::commit() {
    database_.execute(inner_ ? "RELEASE inner" : "COMMIT");
    open_ = false;
}

}  // namespace assay
