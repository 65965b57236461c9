#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "data/label_rows.h"

namespace assay {

/// Label sets in JSON: a list of lists (`keys` is then empty), or an object with a label or list by
/// file. Deeper values are not stored.
NamedRows parse_label_json(std::string_view text, const ClassList& classes,
                           const std::string& source);

/// The names among the labels of such a file, in byte order. Empty if its labels are numbers, or if
/// it is damaged. Throws bad_input for names next to numbers, because the numbers are then
/// ambiguous.
std::vector<std::string> label_names_in_json(std::string_view text, const std::string& source);

/// Reads `number` as a class. Without classes, accepts any number below a million. Throws bad_input
/// ("`where`: label ...").
std::int32_t checked_class(std::int64_t number, const ClassList& classes, std::string_view where);

}  // namespace assay
