// Reads tables of numbers with blanks between the columns, as np.savetxt writes them.
#pragma once

#include <string>
#include <string_view>

namespace assay::store {

/// True if `text` is such a table: its first row has at least two numbers, separated by blanks and
/// tabs. Reads only that row.
bool is_blank_table(std::string_view text);

/// Returns the same table with commas, or "" if `text` is not such a table. A comment at the start
/// ("# cat dog") becomes the header if it has a word for each column. Other comments are skipped.
/// Throws bad_input, naming the line, for a row with another number of columns.
std::string csv_of_blank_table(std::string_view text);

}  // namespace assay::store
