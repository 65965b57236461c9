// The roles of columns in a table of saved predictions, if their names are not clear.
#pragma once

#include <string>
#include <vector>

namespace assay {

/// Columns are named, or numbered from 1 in a table without a header. Throws usage if the file has
/// no columns, such as an array.
struct ScoreColumnNames {
    /// Columns with scores, one for each class; `*` in a name matches any characters. Empty detects
    /// them, and asks the user if a column may be something else.
    std::vector<std::string> scores;
    /// Columns to ignore.
    std::vector<std::string> ignored;
    std::string label;  ///< the items' labels; "" uses the usual names; `no_column` ignores labels
    std::string id;     ///< the items' ids; "" uses the usual names
};

/// Stands for no column: the scores are stored without labels.
inline constexpr const char* no_column = "none";

}  // namespace assay
