// Columns of described results that repeat for each entry of a list.
//
// A column name with braces represents one column per entry of the list at the start of its path.
// The braces become the value of the entry's field, `labels` in
// "subgroup{labels}_v1=subgroups.agreement.first*", or the entry's position from 1, as in
// "labels_{}=counts". All rows of a table have the same entries.
#pragma once

#include "core/result_table.h"

namespace assay {

/// All columns of an object. add_columns() without an object omits the columns of lists.
void add_columns(Table& table, const ResultType& type, const void* object);

/// A table without rows, for objects like these.
template <class... S>
Table result_table_for(const S&... objects) {
    Table table;
    (add_columns(table, result_type(ResultOf<S>{}), &objects), ...);
    return table;
}

}  // namespace assay
