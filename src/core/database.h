// SQLite behind one file: statements with typed parameters and columns, transactions, and what
// SQLite reports as Assay's errors.
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
    /// Goes to the next row; false: there is none. Throws busy, io, bad_input (a damaged file).
    bool step();
    /// One step of a statement without rows, which may then be bound anew.
    void run();
    /// Binds one value for each question mark, and goes on as run().
    template <class First, class... Others>
    void run(const First& first, const Others&... others) {
        bind_value(first);
        (bind_value(others), ...);
        run();
    }
    /// Before the same statement is bound and stepped once more.
    void reset();

    std::int64_t integer(int column) const;
    /// Throws bad_input: outside of what is allowed, as in a file that another program changed.
    std::uint64_t count(int column, std::uint64_t most = INT64_MAX) const;
    double number(int column) const;
    std::string text(int column) const;
    bool is_null(int column) const;
    int columns() const;
    /// As the query calls the column.
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
        read,    ///< also where the folder cannot be written
        write,   ///< the file is there
        create,  ///< the file is not there
    };
    /// WAL, foreign keys, every commit synced; another process that writes is waited for, for five
    /// seconds. Throws bad_input: missing, no database, damaged; usage: there already; busy; io.
    Database(const std::filesystem::path& path, Access access);
    ~Database();
    Database(Database&&) noexcept;
    Database& operator=(Database&&) = delete;

    const std::filesystem::path& path() const noexcept;
    Access access() const noexcept;
    Statement prepare(std::string_view sql) const;
    /// What a query gives first; 0: it has no row. Throws bad_input: null, or no whole number.
    std::int64_t integer(std::string_view sql) const;
    /// Any number of statements without parameters and rows.
    void execute(const std::string& sql);
    /// Of the row that was inserted last.
    std::int64_t last_row() const;
    bool in_transaction() const;
    /// Rows that the last statement changed.
    std::int64_t changes() const;
    /// What `PRAGMA integrity_check` finds; empty: all is well. Foreign keys are not looked at.
    std::vector<std::string> problems() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Holds the file for writing from its beginning, and undoes what was written unless commit() was
/// reached. Inside another one it is a part of that: undone by itself, kept with the whole.
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
