// Which columns of numbers are scores. People keep other numbers beside their scores (an epoch, a
// fold, a loss): taken for one more class, they make every metric wrong without a word. So a column
// is a class where its name or the numbers say so, and the user is asked about the others.
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

/// The columns of a table that hold numbers, and the first of their rows.
struct ColumnSample {
    bool named = true;               ///< false: the names are places, counted from 1
    std::vector<std::string> names;  ///< of the columns, as in the file
    std::size_t rows = 0;
    std::vector<float> values;     ///< rows x columns; NaN: no number
    std::set<std::string> labels;  ///< texts that the column of labels holds, in all rows
    bool has_labels = false;       ///< there is such a column
};

struct ScoreColumns {
    std::vector<std::size_t> taken;  ///< columns of the sample, ascending
    /// The class of each, without a prefix that all have ("prob_cat": "cat"); empty: numbers.
    std::vector<std::string> classes;
    /// Where each column's score goes, when the names are numbers from 0 in any order; else empty.
    std::vector<std::size_t> place;
    std::string kind_name;  ///< what of their names may say what the scores are
};

/// What is known of the classes beside the table.
struct KnownClasses {
    const ClassList& list;    ///< may be empty
    bool told = false;        ///< by the user; else of the data set that is there
    std::uint32_t count = 0;  ///< told; 0: not
};

/// Throws usage, with the option to type, where a column may be something else than a class, and
/// where `choice` names a column that is not there.
ScoreColumns choose_score_columns(const ColumnSample& sample, const ScoreColumnNames& choice,
                                  const KnownClasses& classes);

/// Whether names or numbers show that these columns are the scores of all classes. `confidence`: a
/// further column of the same rows, which is then the highest probability of each row; may be
/// empty.
bool shows_all_scores(const ColumnSample& sample, const std::vector<float>& confidence);

/// Whether one of these columns may be something else than a class.
bool has_doubtful_columns(const ColumnSample& sample);

/// Whether `name` is what `pattern` says; `*` stands for any characters.
bool matches_pattern(std::string_view name, std::string_view pattern);

/// The names for people: "a, b, c, d"; of many the first and the last.
std::string listed(const std::vector<std::string>& names);

}  // namespace assay::store
