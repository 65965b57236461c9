// Tables of described results: what csv holds.
#pragma once

#include <span>
#include <vector>

#include "assay/describe_result.h"
#include "assay/report.h"

namespace assay {

/// The columns of a description, and their cells.
void add_columns(Table& table, const ResultType& type);
void add_cells(std::vector<Cell>& cells, const ResultType& type, const void* object);

/// A table without rows, whose columns are those of the types, one after the other: what a store
/// is, then what a class of it is.
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
/// A row an object.
template <class List>
Table table_of(const List& objects) {
    Table table = result_table<std::remove_const_t<typename List::value_type>>();
    for (const auto& object : objects) add_row(table, object);
    return table;
}

}  // namespace assay
