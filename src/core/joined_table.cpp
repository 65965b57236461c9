#include "core/joined_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "assay/error.h"

namespace assay {

void JoinedTable::set(const std::string& key, const Column& column, Cell cell) {
    if (rows_.empty()) throw Error(ErrorCode::internal, fmt::format("no row sets `{}`", key));
    Row& row = rows_.back();
    const auto place_of = [&](const std::string& wanted) {
        return std::find_if(columns_.begin(), columns_.end(),
                            [&](const KeyedColumn& c) { return c.key == wanted; });
    };
    if (place_of(key) == columns_.end()) {
        const auto before = place_of(row.last);
        columns_.insert(before != columns_.end() ? std::next(before)
                        : row.cells.empty()      ? columns_.begin()
                                                 : columns_.end(),
                        KeyedColumn{key, column});
    }
    row.cells.insert_or_assign(key, std::move(cell));
    row.last = key;
}

Table JoinedTable::take() {
    std::map<std::string, int> times;
    for (const KeyedColumn& one : columns_) ++times[one.column.name];
    Table table;
    for (const KeyedColumn& one : columns_) {
        Column& column = table.columns.emplace_back(one.column);
        if (times[column.name] > 1) column.name += fmt::format(" ({})", one.key);
    }
    for (Row& row : rows_) {
        std::vector<Cell>& cells = table.rows.emplace_back();
        for (std::size_t c = 0; c < columns_.size() && !row.cells.empty(); ++c) {
            const auto found = row.cells.find(columns_[c].key);
            cells.push_back(found == row.cells.end() ? Cell() : std::move(found->second));
        }
    }
    columns_.clear();
    rows_.clear();
    return table;
}

}  // namespace assay
