// Finds faults in the tables of a study, by row and column.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/database.h"
#include "study/columns.h"

namespace assay::study {

struct ColumnCheck {
    /// One sentence for each column with a wrong value: file, table, first row, column, value,
    /// allowed values, and the number of other wrong rows.
    std::vector<std::string> problems;
    bool complete = true;  ///< all tables and columns exist
};

/// Reads all rows of these tables. Tables and columns newer than `of_version` may be missing.
ColumnCheck check_columns(const Database& database, std::span<const Table> tables, StudyKind kind,
                          std::int64_t of_version);

}  // namespace assay::study
