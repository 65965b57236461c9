// Files of definitions, whatever their form, as one label after the other.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/labelling/task.h"

namespace assay::labelling {

struct SaidOfLabel {
    LabelText text;     ///< id: the label as written; "" and none: not said
    std::string where;  ///< "classes.csv line 3"
};

/// Csv or JSON, by its first character (class_definitions.h says what is in them). Throws
/// bad_input.
std::vector<SaidOfLabel> read_definitions(const std::filesystem::path& file);

/// "tench; Tinca tinca" as two.
std::vector<std::string> parts_of_synonyms(std::string_view text);

}  // namespace assay::labelling
