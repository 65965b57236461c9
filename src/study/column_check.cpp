#include "study/column_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"

namespace assay::study {
namespace {

std::set<std::string, std::less<>> columns_there(const Database& database, const Table& table) {
    std::set<std::string, std::less<>> names;
    for (Statement row =
             database.prepare(fmt::format("SELECT name FROM pragma_table_info('{}')", table.name));
         row.step();)
        names.insert(row.text(0));
    return names;
}

std::vector<std::string> key_columns(const Table& table) {
    std::vector<std::string> names;
    for_each_part(table.key, ",", [&](std::string_view name) { names.emplace_back(name); });
    if (names.empty()) names.emplace_back("rowid");
    return names;
}

/// Reads the rows of a table in a database, and finds faults.
class TableCheck {
public:
    TableCheck(const Database& database, const Table& table, ColumnCheck& check)
        : database_(database), table_(table), check_(check), keys_(key_columns(table)) {}

    /// Checks which columns exist. Returns false if no part of the table can be read.
    bool look_for_columns(StudyKind kind, std::int64_t of_version) {
        const auto there = columns_there(database_, table_);
        const bool later = table_.since.of(kind) > of_version;
        if (there.empty()) {
            if (later) return false;
            check_.problems.push_back(fmt::format("{}: table {} is missing", file(), table_.name));
            check_.complete = false;
            return false;
        }
        bool keyed = true;
        for (const Column& column : table_.columns) {
            if (there.count(column.name) > 0) {
                columns_.push_back(&column);
                continue;
            }
            if (!later && column.since.of(kind) > of_version) continue;
            whole_ = false;
            check_.problems.push_back(
                fmt::format("{}: table {} has no column {}", file(), table_.name, column.name));
            check_.complete = false;
            keyed = keyed && std::find(keys_.begin(), keys_.end(), column.name) == keys_.end();
        }
        return keyed && !columns_.empty();
    }

    void look_at_values() {
        std::string sql = "SELECT ";
        for (const std::string& key : keys_) sql += key + ", ";
        for (const Column* column : columns_) {
            sql += fmt::format("{0}typeof({1}), {1}", column == columns_.front() ? "" : ", ",
                               column->name);
        }
        for (const Column* column : columns_)
            if (may_be_path(*column)) sql += fmt::format(", {}", column->path_by);
        sql += fmt::format(" FROM {} ORDER BY {}", table_.name, listed_keys());
        std::vector<Fault> faults(columns_.size());
        for (Statement row = database_.prepare(sql); row.step();) {
            int at = static_cast<int>(keys_.size());
            int names = at + 2 * static_cast<int>(columns_.size());
            for (std::size_t c = 0; c < columns_.size(); ++c, at += 2) {
                const Column& column = *columns_[c];
                if (may_be_path(column))
                    note(faults[c], row, column_by(column, row.text(names++)), at);
                else
                    note(faults[c], row, column, at);
            }
        }
        for (std::size_t c = 0; c < columns_.size(); ++c) tell(faults[c]);
    }

    /// Finds references to missing rows.
    void look_at_references(std::span<const Table> tables) {
        for (const Column* column : columns_) {
            if (column->holds != Holds::row) continue;
            const auto other = std::find_if(tables.begin(), tables.end(), [&](const Table& one) {
                return one.name == column->of;
            });
            if (other == tables.end() || columns_there(database_, *other).count(other->key) == 0)
                continue;
            std::string keys;
            for (const std::string& key : keys_) keys += fmt::format("here.{}, ", key);
            Statement row = database_.prepare(fmt::format(
                "SELECT {0}typeof(here.{1}), here.{1} FROM {2} AS here LEFT JOIN {3} AS there ON "
                "there.{4} = here.{1} WHERE there.{4} IS NULL AND typeof(here.{1}) = 'integer' "
                "ORDER BY {5}",
                keys, column->name, table_.name, other->name, other->key, listed_keys("here.")));
            Fault fault;
            while (row.step()) keep(fault, row, *column, static_cast<int>(keys_.size()));
            tell(fault);
        }
    }

    /// Checks values that must be unique, and rules between the columns of a row.
    void look_at_rules() {
        for (const Column* column : columns_)
            if (column->unique) look_for_twins(std::string(column->name), "1");
        if (!whole_) return;
        if (!table_.key.empty()) look_for_twins(std::string(table_.key), "1");
        if (!table_.unique.empty()) look_for_twins(std::string(table_.unique), "1");
        if (!table_.one_of.empty())
            look_for_twins(std::string(table_.one_of), std::string(table_.one_where));
        if (table_.rule.empty()) return;
        Statement row =
            database_.prepare(fmt::format("SELECT {0} FROM {1} WHERE NOT ({2}) "
                                          "ORDER BY {0}",
                                          listed_keys(), table_.name, table_.rule));
        if (row.step())
            check_.problems.push_back(fmt::format("{}: table {}, {}: allowed: {}", file(),
                                                  table_.name, row_name(row), table_.rule));
    }

private:
    struct Fault {
        std::string first;
        std::uint64_t rows = 0;
    };

    std::string file() const { return database_.path().string(); }
    /// True if the columns that mark paths exist.
    bool may_be_path(const Column& column) const { return !column.path_by.empty() && whole_; }
    std::string listed_keys(std::string_view before = "") const {
        std::string text;
        for (const std::string& key : keys_)
            text += fmt::format("{}{}{}", text.empty() ? "" : ", ", before, key);
        return text;
    }
    /// Returns text such as "row 5" or "row (pair 1, image 2)".
    std::string row_name(const Statement& row) const {
        const auto shown = [&](std::size_t k) { return shown_text(row.text(static_cast<int>(k))); };
        if (keys_.size() == 1) return "row " + shown(0);
        std::string text;
        for (std::size_t k = 0; k < keys_.size(); ++k)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", keys_[k], shown(k));
        return fmt::format("row ({})", text);
    }
    /// `at` is the query's column with the type. The value is in the next column.
    void note(Fault& fault, const Statement& row, const Column& column, int at) const {
        const std::string type = row.text(at);
        const bool right = type == "null" ? column.optional
                           : is_number(column.holds)
                               ? type == "integer" && may_hold(column, row.integer(at + 1))
                               : type == "text" && may_hold(column, row.text(at + 1));
        if (!right) keep(fault, row, column, at);
    }
    void keep(Fault& fault, const Statement& row, const Column& column, int at) const {
        if (++fault.rows > 1) return;
        const std::string type = row.text(at), value = row.text(at + 1);
        std::string shown = type == "null"      ? "null"
                            : type == "integer" ? value
                            : type == "text"    ? ""
                                                : fmt::format("of the type {}: ", type);
        if (column.holds == Holds::secret && type != "null")
            shown = "a text that is not shown";
        else if (type != "null" && type != "integer")
            shown += fmt::format("`{}`", shown_text(value));
        fault.first = fmt::format("{}: table {}, {}: {} is {}; allowed: {}", file(), table_.name,
                                  row_name(row), column.name, shown, allowed_in(column));
    }
    void tell(const Fault& fault) {
        if (fault.rows == 0) return;
        check_.problems.push_back(
            fault.rows == 1
                ? fault.first
                : fmt::format("{} (and {})", fault.first, how_many(fault.rows - 1, "more row")));
    }
    void look_for_twins(const std::string& columns, const std::string& where) {
        std::string set;
        for_each_part(columns, ",", [&](std::string_view name) {
            set += fmt::format("{}{} IS NOT NULL", set.empty() ? "" : " AND ", name);
        });
        Statement row = database_.prepare(
            fmt::format("SELECT min({0}), count(*) FROM {1} WHERE {2} AND {3} GROUP BY {4} HAVING "
                        "count(*) > 1 ORDER BY 1",
                        keys_.front(), table_.name, where, set, columns));
        if (!row.step()) return;
        check_.problems.push_back(fmt::format(
            "{}: table {}, row {}: {} {} in {} rows; allowed: one row", file(), table_.name,
            shown_text(row.text(0)), columns,
            columns.find(',') == std::string::npos ? "is the same" : "are the same", row.text(1)));
    }

    const Database& database_;
    const Table& table_;
    ColumnCheck& check_;
    std::vector<std::string> keys_;
    std::vector<const Column*> columns_;  ///< existing columns
    bool whole_ = true;                   ///< all columns of the study's version exist
};

}  // namespace

ColumnCheck check_columns(const Database& database, std::span<const Table> tables, StudyKind kind,
                          std::int64_t of_version) {
    ColumnCheck check;
    for (const Table& table : tables) {
        TableCheck one(database, table, check);
        if (!one.look_for_columns(kind, of_version)) continue;
        one.look_at_values();
        one.look_at_references(tables);
        one.look_at_rules();
    }
    return check;
}

}  // namespace assay::study
