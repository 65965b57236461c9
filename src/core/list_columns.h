// Columns of described results of which there are as many as a list has entries.
//
// A column with braces stands for one of each entry of the list that its path begins with:
// "subgroup{labels}_v1=subgroups.agreement.first*" is called by the entry's field `labels`, and
// "labels_{}=counts" by the entry's place from 1. All rows of a table have the same entries.
#pragma once

#include "core/result_table.h"

namespace assay {

/// All columns that an object has; add_columns() without one leaves those of lists out.
void add_columns(Table& table, const ResultType& type, const void* object);

/// A table without rows for objects like these.
template <class... S>
Table result_table_for(const S&... objects) {
    Table table;
    (add_columns(table, result_type(ResultOf<S>{}), &objects), ...);
    return table;
}

}  // namespace assay
