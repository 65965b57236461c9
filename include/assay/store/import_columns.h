// Which columns of a table of saved predictions hold what, where their names do not say it.
#pragma once

#include <string>
#include <vector>

namespace assay {

/// Columns are called by their names; those of a table without a header by their places, counted
/// from 1. Throws usage where the file has no columns, as arrays have none.
struct ScoreColumnNames {
    /// Columns that hold the scores, one for each class; `*` in a name stands for any characters.
    /// Empty: found out, and asked about where a column may be something else.
    std::vector<std::string> scores;
    /// Columns that are not read.
    std::vector<std::string> ignored;
    std::string label;  ///< the items' labels; "": by the usual names; `no_column`: not read
    std::string id;     ///< the items' ids; "": by the usual names
};

/// The name of no column: the scores are stored without labels.
inline constexpr const char* no_column = "none";

}  // namespace assay
