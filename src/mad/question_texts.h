// Defines the names, words and display of questions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/competition.h"
#include "study/table_csv.h"

namespace assay::mad {

/// A class's name for annotators. If several classes share it, adds the parent in the hierarchy, or
/// else the id.
std::vector<std::string> names_for_people(const Competition& competition);
/// The question as text: "Does this image show "great white shark"?"
std::string question_text(std::string_view label_name);

using study::for_spreadsheet;
using study::from_spreadsheet;

}  // namespace assay::mad
