// Tables of numbers with blanks between the columns, as np.savetxt writes them.
#pragma once

#include <string>
#include <string_view>

namespace assay::store {

/// Whether `text` is such a table: its first row is two numbers or more, with blanks and tabs
/// between them. Cost: reads no further than that row.
bool is_blank_table(std::string_view text);

/// The same table with commas; "" where `text` is no such table. A comment in front ("# cat dog")
/// is the header if it has a word for each column; other comments are left out. Throws bad_input,
/// naming the line: a row with another number of columns.
std::string csv_of_blank_table(std::string_view text);

}  // namespace assay::store
