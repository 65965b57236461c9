// The text for a class, for people and in JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "assay/data/class_list.h"

namespace assay {

/// "n01440764 (tench)"; the id alone if it is the name, "class 5" for a class without either.
std::string class_text(const ClassList& classes, std::int32_t c);

/// Why a text names no class: "`cot` is not a class; did you mean `cat`?", or the ids of the
/// classes that share the name.
std::string not_a_class(const ClassList& classes, std::string_view label);

}  // namespace assay
