// Distances that are not worked out from a hierarchy: those of a file, and those that took long and
// are kept beside a competition.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/mad/distance.h"

namespace assay::mad {

/// A csv with a row and a column for each class, named by its id, name or number: the first column
/// names the class of the row. Distances are 0 or more and below 4,096, kept in whole 2^-20;
/// symmetric, 0 of a class to itself. Rows and columns in any order, the same or not. Throws
/// bad_input: file, line, column, value and what is allowed; a class that is missing, twice or
/// unknown.
ClassDistances read_distances(const std::filesystem::path& file, const ClassList& classes);

std::filesystem::path distances_file(const std::filesystem::path& folder);
/// Writes distances.npy, whole numbers of 2^-20 (u4), and returns its hash.
std::string write_distances(const std::filesystem::path& folder, const ClassDistances& distances);
/// Throws bad_input: it is missing, is not what was recorded, or is of another number of classes.
ClassDistances kept_distances(const std::filesystem::path& folder, const std::string& hash,
                              std::size_t classes, DistanceReading reading);

}  // namespace assay::mad
