// Reads files of definitions in any format as a sequence of labels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/labelling/task.h"

namespace assay::labelling {

struct SaidOfLabel {
    LabelText text;     ///< id is the label as written; members that were not given are empty
    std::string where;  ///< its place: "classes.csv line 3"
};

/// Reads csv or JSON, recognized by its first character (class_definitions.h describes the
/// contents). Throws bad_input.
std::vector<SaidOfLabel> read_definitions(const std::filesystem::path& file);

/// Splits "tench; Tinca tinca" into two texts.
std::vector<std::string> parts_of_synonyms(std::string_view text);

}  // namespace assay::labelling
