// Which columns of numbers are scores. People keep other numbers beside their scores (an epoch, a
// fold, a loss): counted as one more class, they would silently make every metric wrong. So a
// column is a class if its name or the numbers show it, and the user is asked about the others.
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

/// The columns of numbers in a table, and the first of their rows.
struct ColumnSample {
    bool named = true;               ///< false if the names are positions, counted from 1
    std::vector<std::string> names;  ///< of the columns, in the file's order
    std::size_t rows = 0;
    std::vector<float> values;     ///< rows x columns; NaN: no number
    std::set<std::string> labels;  ///< the texts in the column of labels, from all rows
    bool has_labels = false;       ///< whether there is such a column
};

struct ScoreColumns {
    std::vector<std::size_t> taken;  ///< columns of the sample, ascending
    /// The class of each column, without a common prefix ("prob_cat" gives "cat"); empty if they
    /// are numbers.
    std::vector<std::string> classes;
    /// The position of each column's score, if the names are numbers from 0 in any order; else
    /// empty.
    std::vector<std::size_t> place;
    std::string kind_name;  ///< the part of their names that may tell the kind of scores
};

/// Facts about the classes from outside the table.
struct KnownClasses {
    const ClassList& list;    ///< may be empty
    bool told = false;        ///< given by the user; otherwise from the existing data set
    std::uint32_t count = 0;  ///< told; 0: not
};

/// Throws usage, with the option to type, if a column may be something other than a class. Also
/// throws it if `choice` names a column that does not exist.
ScoreColumns choose_score_columns(const ColumnSample& sample, const ScoreColumnNames& choice,
                                  const KnownClasses& classes);

/// Whether names or numbers show that these columns are the scores of all classes. `confidence` may
/// be empty. Otherwise it is a further column of the same rows, and should be the highest
/// probability of each row.
bool shows_all_scores(const ColumnSample& sample, const std::vector<float>& confidence);

/// Whether one of these columns may be something other than a class.
bool has_doubtful_columns(const ColumnSample& sample);

/// Whether `name` matches `pattern`, in which `*` matches any characters.
bool matches_pattern(std::string_view name, std::string_view pattern);

/// The names for people: "a, b, c, d". If there are many, only the first and the last.
std::string listed(const std::vector<std::string>& names);

}  // namespace assay::store
