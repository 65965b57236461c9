// All that people said in a competition, as a csv that `mad answers` reads.
#pragma once

#include <string>

#include "core/database.h"

namespace assay::mad {

/// A row for each answer that was ever given, in the order in which they were taken in.
std::string answers_table(const Database& database);

}  // namespace assay::mad
