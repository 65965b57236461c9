// Finds the columns of numbers that are scores. Tables often have other numbers (an epoch, a fold,
// a loss). Counted as a class, these would make every metric wrong without an error. So a column is
// a class if its name or the numbers show it, and the user is asked about the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/store/import_columns.h"

namespace assay::store {

/// The columns of numbers in a table, and their first rows.
struct ColumnSample {
    bool named = true;               ///< false if the names are positions, counted from 1
    std::vector<std::string> names;  ///< names of the columns, in the file's order
    std::size_t rows = 0;
    std::vector<float> values;     ///< rows x columns; NaN means no number
    std::set<std::string> labels;  ///< the texts in the column of labels, from all rows
    bool has_labels = false;       ///< true if there is a column of labels
};

struct ScoreColumns {
    std::vector<std::size_t> taken;  ///< columns of the sample, ascending
    /// The class of each column, without a common prefix ("prob_cat" gives "cat"). Empty if the
    /// names are numbers.
    std::vector<std::string> classes;
    /// The position of each column's score, if the names are numbers from 0 in any order; else
    /// empty.
    std::vector<std::size_t> place;
    std::string said;       ///< a note on how the names were read; may be empty
    std::string kind_name;  ///< the part of the names that may show the kind of scores
};

/// Facts about the classes from outside the table.
struct KnownClasses {
    const ClassList& list;    ///< may be empty
    bool told = false;        ///< given by the user; otherwise from the existing data set
    std::uint32_t count = 0;  ///< number given by the user; 0 if not given
};

/// Throws usage, with the necessary option, if a column may not be a class. Also
/// throws it if `choice` names a column that does not exist.
ScoreColumns choose_score_columns(const ColumnSample& sample, const ScoreColumnNames& choice,
                                  const KnownClasses& classes);

/// True if names or numbers show that these columns are the scores of all classes. `confidence` may
/// be empty. Otherwise it is a further column of the same rows, and should be the highest
/// probability of each row.
bool shows_all_scores(const ColumnSample& sample, const std::vector<float>& confidence);

/// True if one of these columns may not be a class.
bool has_doubtful_columns(const ColumnSample& sample);

/// True if `name` matches `pattern`, in which `*` matches any characters.
bool matches_pattern(std::string_view name, std::string_view pattern);

/// The names for people, such as "a, b, c, d". If there are many, only the first and last names.
std::string listed(const std::vector<std::string>& names);

}  // namespace assay::store
