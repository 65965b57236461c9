// Whether texts write half of an interval or both of its ends.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report.h"

namespace assay {

/// True if half of the interval's width says where both ends are, to the printed digit. That is the
/// digit of number_text(), or one of so many `decimals` (proportions in percent). The value is
/// defined and has an interval.
bool has_equal_sides(const Estimate& e, std::optional<int> decimals = {});

/// The size of an estimate, for sentences whose words say its sign.
Estimate without_sign(const Estimate& e);

/// For a sentence, after the value: "±2.1" if both sides are equal to the printed digit, otherwise
/// "(64.5 – 71.4)"; "" without an interval. In the unit of number_text(), whose sign stands there.
std::string sides_text(const Estimate& e, std::optional<int> decimals = {});

/// The columns as people see them. A column of Show::value_and_half keeps it if all its values are
/// in the middle of their intervals, to the printed digit. Otherwise it shows both ends. If the
/// next column shows the intervals, it shows the values alone. Cost: linear in the table.
std::vector<Column> shown_columns(const Table& table);

/// The text of a note about the intervals in columns of Show::value_and_half. If a column keeps its
/// halves, this is "± is half of the interval". If there are only columns with both ends, it is "in
/// brackets: the interval". If these columns show no interval, it is empty.
std::string_view sides_note(const Table& table);

}  // namespace assay
