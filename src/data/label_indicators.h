// Label sets as a table of zeros and ones: a column per class.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "assay/data/class_list.h"
#include "data/label_columns.h"

namespace assay {

/// The columns that are called after classes, by id or name; or all of them by number ("0",
/// "class_0", ...). Nothing where there are none. `image` is passed over. Throws bad_input: two
/// columns of one class.
std::vector<LabelColumns::Flag> class_columns(const TableSample& table,
                                              std::optional<std::size_t> image,
                                              const ClassList& classes);

}  // namespace assay
