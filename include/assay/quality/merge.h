// Merges the rows of several tables into one, so that tables can grow over years.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/quality/table.h"
#include "assay/report.h"

namespace assay::quality {

struct MergeOptions {
    /// Tags that distinguish rows with the same name.
    std::vector<std::string> key;
    /// If rows of one key contradict each other, the later one is used, and its note contains this
    /// text and the earlier value. Without a value, contradictions are refused.
    std::optional<std::string> replace;
};

struct MergeResult {
    QualityTable table;
    std::size_t added = 0;      ///< rows of tables after the first that are new
    std::size_t completed = 0;  ///< rows that got cells, shares or tags from a later row
    std::size_t equal = 0;      ///< rows that added nothing
    std::size_t replaced = 0;
    std::vector<std::string> warnings;
};

/// Returns the rows of all tables in their order. Rows of one key (name and the tags of the key)
/// become one row. Data that only one row has is used: cells, parts of a cell with the same value,
/// tags, the hash of the file. If both rows have it and it differs, the merge is refused or, with
/// `replace`, the later row's data is used. If the hashes of the model's file differ, all of its
/// cells are used, because they belong to another model. The tags are the union. Throws usage: a
/// tag in the key that no table has, an empty note for `replace`. Throws bad_input for a
/// contradiction (row, dimension, both values, both files), a key twice in one table. Rows of the
/// published table may repeat names as long as no other table has that key.
MergeResult merge_tables(const std::vector<QualityTable>& tables, const MergeOptions& options);
/// Schema "assay.quality/1": the table in the format of read_quality_table().
Report report_of(const MergeResult& result);

}  // namespace assay::quality
