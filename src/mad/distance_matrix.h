// Distances that are not computed from a hierarchy now: those from a file, and stored ones that
// took long to compute.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/mad/distance.h"

namespace assay::mad {

/// A csv with a row and a column for each class, named by its id, name or number. The first column
/// names the class of the row. Distances are 0 or more and below 4,096, kept in whole 2^-20;
/// symmetric, 0 of a class to itself. Rows and columns may be in any order, and need not have the
/// same. Throws bad_input with file, line, column, value and what is allowed; also for a missing,
/// repeated or unknown class.
ClassDistances read_distances(const std::filesystem::path& file, const ClassList& classes);

/// Writes distances.npy, integers in units of 2^-20 (u4), and returns its hash.
std::string write_distances(const std::filesystem::path& folder, const ClassDistances& distances);
/// Throws bad_input if it is missing, differs from the record, or has another number of classes.
ClassDistances kept_distances(const std::filesystem::path& folder, const std::string& hash,
                              std::size_t classes, DistanceReading reading);

}  // namespace assay::mad
