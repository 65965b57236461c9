// A table of several results side by side. A cell is set by the key of its column, never by its
// place: where a result lacks what another one has, its cell is empty.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "assay/report.h"

namespace assay {

class JoinedTable {
public:
    /// Begins a row, which set() is about.
    void row() { rows_.emplace_back(); }
    /// A line between rows.
    void rule() { rows_.emplace_back(); }
    /// The cell below the column `key`. A key that is new gets a column behind the one that was set
    /// before it in this row. Throws internal before the first row.
    void set(const std::string& key, const Column& column, Cell cell);
    /// The columns of all rows. Columns of one name have their keys behind it.
    Table take();

private:
    struct KeyedColumn {
        std::string key;
        Column column;
    };
    struct Row {
        std::map<std::string, Cell> cells;  ///< none: a line
        std::string last;                   ///< the key that was set last
    };
    std::vector<KeyedColumn> columns_;
    std::vector<Row> rows_;
};

}  // namespace assay
