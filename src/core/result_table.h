// Tables of described results, which csv files contain.
#pragma once

#include <span>
#include <vector>

#include "assay/describe_result.h"
#include "assay/report.h"

namespace assay {

/// Adds the columns of a description, and later their cells.
void add_columns(Table& table, const ResultType& type);
void add_cells(std::vector<Cell>& cells, const ResultType& type, const void* object);

/// A table without rows. It has the columns of the types in sequence: for example a store's
/// columns, then those of a class.
template <class... S>
Table result_table() {
    Table table;
    (add_columns(table, result_type(ResultOf<S>{})), ...);
    return table;
}
template <class... S>
void add_row(Table& table, const S&... objects) {
    std::vector<Cell> cells;
    (add_cells(cells, result_type(ResultOf<S>{}), &objects), ...);
    table.add(std::move(cells));
}
/// Adds one row for each object.
template <class List>
Table table_of(const List& objects) {
    Table table = result_table<std::remove_const_t<typename List::value_type>>();
    for (const auto& object : objects) add_row(table, object);
    return table;
}

}  // namespace assay
