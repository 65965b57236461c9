// Label sets in a table of zeros and ones, with a column per class.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "assay/data/class_list.h"
#include "data/label_columns.h"

namespace assay {

/// The columns that are named after classes, by id or name, or all by number ("0", "class_0", ...).
/// Empty if there are none. The column `image` is skipped. Throws bad_input if two columns are the
/// same class.
std::vector<LabelColumns::Flag> class_columns(const TableSample& table,
                                              std::optional<std::size_t> image,
                                              const ClassList& classes);

}  // namespace assay
