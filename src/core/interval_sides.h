// Whether the columns of a table write half of their intervals or both ends.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "assay/report.h"

namespace assay {

/// The columns as people see them. A column of Show::value_and_half keeps it if all its values are
/// in the middle of their intervals, to the printed digit. Otherwise it shows both ends. If the
/// next column shows the intervals, it shows the values alone. Cost: linear in the table.
std::vector<Column> shown_columns(const Table& table);

/// What a note says of the intervals in columns of Show::value_and_half. If a column keeps its
/// halves, this is "± is half of the interval". If there are only columns with both ends, it is "in
/// brackets: the interval". If these columns show no interval, it is empty.
std::string_view sides_note(const Table& table);

}  // namespace assay
