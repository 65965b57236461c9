// Label sets as a table of zeros and ones: a column per class.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/data/class_list.h"
#include "data/label_rows.h"

namespace assay {

/// Nothing where the csv has a column of labels, or fewer than two columns that are classes: called
/// after them by id or name, or all of them by number ("0", "class_0", ...). Other columns are
/// passed over. `keys` stays empty where no column names files. Throws bad_input: a cell that is
/// not 0, 1, true, false or empty; two columns of one class.
std::optional<NamedRows> parse_indicators(std::string_view text, const ClassList& classes,
                                          const std::string& source);

}  // namespace assay
