// A class as people and JSON see it.
#pragma once

#include <cstdint>
#include <string>

#include "assay/data/class_list.h"

namespace assay {

/// "n01440764 (tench)"; the id alone if it is the name, "class 5" for a class without either.
std::string class_text(const ClassList& classes, std::int32_t c);

}  // namespace assay
