// What the names of columns say of scores: "prob_cat" is the class cat, "c7" the class with number
// 7, and "cat.1" is a second column "cat".
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

/// ("prob", "cat") of "prob_cat": what stands in front of a class's name in columns of scores.
std::optional<std::pair<std::string_view, std::string_view>> prefixed(std::string_view name);

/// The columns of each such prefix that at least two have.
std::map<std::string_view, Columns> prefix_groups(const std::vector<std::string>& names);

/// Whether at least two names begin as columns of scores do, and go on with a class: "prob_cat".
bool has_prefix_group(const std::vector<std::string>& names);

/// "prob_12" gives ("prob", 12), "c7" ("c", 7), "7" ("", 7); nothing without a number at the end.
std::optional<std::pair<std::string_view, std::uint64_t>> numbered(std::string_view name);

/// Whether this in front of a number is no part of a class's name: "c7", "prob_7".
bool is_placeholder(std::string_view prefix);

/// Where each name's score goes when the names are the numbers 0 to C - 1 behind one prefix, in any
/// order ("c0", "c1", "c10", ...); empty when they are the classes' own.
Columns places_of(const std::vector<std::string>& names);

/// The same for any numbers, in the order of those; empty where a number appears twice, or the
/// names have several prefixes.
Columns by_number(const std::vector<std::string>& names);

/// The class of the list that each name is; empty where the names are not all of its classes.
Columns places_of_list(const ClassList& list, const std::vector<std::string>& names);

/// Each name at its place.
std::vector<std::string> placed(const std::vector<std::string>& names, const Columns& place);

/// The columns that seem to be copies of another one, which pandas and DuckDB call "cat.1" and
/// "cat_1" beside "cat".
Columns copies_in(const std::vector<std::string>& names);

/// The first name that is not there between names that count, of which fewer are missing than are
/// there; counts may begin with 0 or 1.
std::optional<std::string> missing_number(const std::vector<std::string>& names);

}  // namespace assay::store
