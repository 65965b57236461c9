// Distances that are read instead of computed: from the user's file, or stored because they took
// long to compute.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/mad/distance.h"

namespace assay::mad {

/// A csv with a row and a column for each class, named by its id, name or number. The first column
/// names the class of the row. Distances are from 0 to below 4,096, rounded to multiples of 2^-20,
/// symmetric, and 0 from a class to itself. Rows and columns may be in any order, which may differ.
/// Throws bad_input with file, line, column, value and what is allowed; also for a missing,
/// repeated or unknown class.
ClassDistances read_distances(const std::filesystem::path& file, const ClassList& classes);

/// Writes distances.npy, integers in units of 2^-20 (u4), and returns its hash.
std::string write_distances(const std::filesystem::path& folder, const ClassDistances& distances);
/// Reads them. Throws bad_input if they are missing, changed, or for another number of classes.
ClassDistances kept_distances(const std::filesystem::path& folder, const std::string& hash,
                              std::size_t classes, DistanceReading reading);

}  // namespace assay::mad
