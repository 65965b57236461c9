// What is wrong in the tables of a study, row by row and column by column.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/database.h"
#include "study/columns.h"

namespace assay::study {

struct ColumnCheck {
    /// One sentence for each column with a wrong value: file, table, first row, column, value, what
    /// is allowed, and how many more rows are wrong.
    std::vector<std::string> problems;
    bool complete = true;  ///< all tables and columns are there
};

/// Reads all rows of these tables. `of_version`: tables and columns that came later may be missing.
ColumnCheck check_columns(const Database& database, std::span<const Table> tables, StudyKind kind,
                          std::int64_t of_version);

}  // namespace assay::study
