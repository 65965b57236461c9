// A table of several results side by side. A cell is set by its column's key and not by its
// position. So a result without a value for a column gets an empty cell.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "assay/report.h"

namespace assay {

class JoinedTable {
public:
    /// Begins a row, which the following calls of set() fill.
    void row() { rows_.emplace_back(); }
    /// Adds a line between rows.
    void rule() { rows_.emplace_back(); }
    /// Sets the cell below the column `key`. A new key gets a column after the one that was last
    /// set in this row. Throws internal before the first row.
    void set(const std::string& key, const Column& column, Cell cell);
    /// The columns of all rows. If several columns have the same name, their keys are appended.
    Table take();

private:
    struct KeyedColumn {
        std::string key;
        Column column;
    };
    struct Row {
        std::map<std::string, Cell> cells;  ///< empty for a line between rows
        std::string last;                   ///< the key that was last set
    };
    std::vector<KeyedColumn> columns_;
    std::vector<Row> rows_;
};

}  // namespace assay
