// Reads the file formats of hierarchies from text in memory. `source` is the file's name in
// messages.
#pragma once

#include <string>
#include <string_view>

#include "assay/data/hierarchy.h"

namespace assay {

Hierarchy hierarchy_from_csv(std::string_view text, const std::string& source);
/// Reads lines "PARENT CHILD".
Hierarchy hierarchy_from_pairs(std::string_view text, const std::string& source);
Hierarchy hierarchy_from_wordnet(std::string_view text, const std::string& source);
Hierarchy hierarchy_from_json(std::string_view text, const std::string& source);

}  // namespace assay
