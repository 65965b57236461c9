// Interprets names of score columns: "prob_cat" is the class cat, "c7" is the class with number 7,
// and "cat.1" is a second column "cat".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/data/class_list.h"

namespace assay::store {

using Columns = std::vector<std::size_t>;

/// Returns the prefix and the class's name: ("prob", "cat") for "prob_cat".
std::optional<std::pair<std::string_view, std::string_view>> prefixed(std::string_view name);

/// The columns for each such prefix that at least two columns have.
std::map<std::string_view, Columns> prefix_groups(const std::vector<std::string>& names);

/// True if at least two names have a score prefix followed by a class, such as "prob_cat".
bool has_prefix_group(const std::vector<std::string>& names);

/// Converts "prob_12" to ("prob", 12), "c7" to ("c", 7), "7" to ("", 7), others to nothing.
std::optional<std::pair<std::string_view, std::uint64_t>> numbered(std::string_view name);

/// True if this prefix of a number is not part of a class's name, as in "c7" and "prob_7".
bool is_placeholder(std::string_view prefix);

/// The position of each name's score, if the names are the numbers 0 to C - 1 after a common
/// prefix. They may be in any order ("c0", "c1", "c10", ...). Empty if they are the classes' own
/// names.
Columns places_of(const std::vector<std::string>& names);

/// The same for any numbers, in ascending order. Empty if a number repeats, or if the names have
/// several prefixes.
Columns by_number(const std::vector<std::string>& names);

/// The class in the list for each name. Empty unless the names are all classes of the list.
Columns places_of_list(const ClassList& list, const std::vector<std::string>& names);

/// The names sorted by position.
std::vector<std::string> placed(const std::vector<std::string>& names, const Columns& place);

/// The columns that seem to be copies of another column. pandas and DuckDB name them "cat.1" and
/// "cat_1" next to "cat".
Columns copies_in(const std::vector<std::string>& names);

/// The first missing name in a numbered sequence of names. Fewer must be missing than exist, and
/// the sequence may begin with 0 or 1.
std::optional<std::string> missing_number(const std::vector<std::string>& names);

}  // namespace assay::store
