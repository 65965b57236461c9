// The only interface to SQLite: statements with typed parameters and columns, transactions, and
// SQLite's errors as Assay errors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace assay {

/// One prepared statement. Parameters are bound in the order of their question marks.
class Statement {
public:
    ~Statement();
    Statement(Statement&&) noexcept;
    Statement& operator=(Statement&&) = delete;

    Statement& bind(std::int64_t value);
    Statement& bind(std::string_view value);
    Statement& bind_number(double value);
    Statement& bind_null();
    Statement& bind(const std::optional<std::int64_t>& value) {
        return value ? bind(*value) : bind_null();
    }
    /// Moves to the next row. Returns false if there is none. Throws busy, io, bad_input (a damaged
    /// file).
    bool step();
    /// Executes a statement without result rows once. Afterwards, new parameters can be bound.
    void run();
    /// Binds one value for each question mark, then does the same as run().
    template <class First, class... Others>
    void run(const First& first, const Others&... others) {
        bind_value(first);
        (bind_value(others), ...);
        run();
    }
    /// Prepares the statement for another execution.
    void reset();

    std::int64_t integer(int column) const;
    /// Throws bad_input if the value is outside the allowed range, as in a file that another
    /// program changed.
    std::uint64_t count(int column, std::uint64_t most = INT64_MAX) const;
    double number(int column) const;
    std::string text(int column) const;
    bool is_null(int column) const;
    int columns() const;
    /// The name that the query gives to the column.
    std::string_view name(int column) const;

private:
    template <class Value>
    void bind_value(const Value& value) {
        if constexpr (std::is_integral_v<Value> || std::is_enum_v<Value>) {
            bind(static_cast<std::int64_t>(value));
        } else {
            bind(value);
        }
    }

    friend class Database;
    struct Impl;
    explicit Statement(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// One file. Not thread-safe. Every error names the file.
class Database {
public:
    enum class Access {
        read,    ///< also works in a folder without write permission
        write,   ///< the file must exist
        create,  ///< the file must not exist
    };
    /// Uses WAL and foreign keys, and syncs every commit. Waits up to five seconds for another
    /// process that writes. Throws bad_input if the file is missing, damaged or no database; usage
    /// if it must not exist; busy; io.
    Database(const std::filesystem::path& path, Access access);
    ~Database();
    Database(Database&&) noexcept;
    Database& operator=(Database&&) = delete;

    const std::filesystem::path& path() const noexcept;
    Access access() const noexcept;
    Statement prepare(std::string_view sql) const;
    /// The first value that a query returns, or 0 if it returns no row. Throws bad_input for null
    /// and for no whole number.
    std::int64_t integer(std::string_view sql) const;
    /// Executes any number of statements without parameters and rows.
    void execute(const std::string& sql);
    /// The row id of the most recently inserted row.
    std::int64_t last_row() const;
    bool in_transaction() const;
    /// The number of rows that the last statement changed.
    std::int64_t changes() const;
    /// The problems that `PRAGMA integrity_check` finds; empty if there are none. Foreign keys are
    /// not checked.
    std::vector<std::string> problems() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Locks the file for writing from the start, and rolls back unless commit() was reached. A nested
/// transaction is part of the outer one: it can be rolled back separately, and is committed with
/// the outer one.
class Transaction {
public:
    explicit Transaction(Database& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    Database& database_;
    bool inner_ = false, open_ = true;
};

}  // namespace assay
