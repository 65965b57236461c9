// Tables that grow over years: rows of several tables in one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/quality/table.h"
#include "assay/report.h"

namespace assay::quality {

struct MergeOptions {
    /// Tags that tell rows of one name apart, as the name does.
    std::vector<std::string> key;
    /// Where rows of one key contradict each other the later one counts, and its note holds this
    /// and what was there. None: contradictions are refused.
    std::optional<std::string> replace;
};

struct MergeResult {
    QualityTable table;
    std::size_t added = 0;      ///< rows of tables after the first that are new
    std::size_t completed = 0;  ///< rows that got cells, shares or tags from a later one
    std::size_t equal = 0;      ///< rows that said nothing new
    std::size_t replaced = 0;
    std::vector<std::string> warnings;
};

/// The rows of all tables, in their order; rows of one key (name and the tags of the key) become
/// one. What only one of them has is taken from it: cells, parts of a cell with the same value,
/// tags, the hash of the file. Where both have it and it differs, the merge is refused, or with
/// `replace` the later row's is taken: of rows with different hashes of the model's file all cells,
/// because they are of another model. Tags are the union. Throws usage: a tag of the key that no
/// table has, an empty note for `replace`; bad_input: a contradiction (row, dimension, both
/// values, both files), a key twice in one table (but for rows of the published one, which repeat
/// names as long as no other table has that key).
MergeResult merge_tables(const std::vector<QualityTable>& tables, const MergeOptions& options);
/// "assay.quality/1": the table, as read_quality_table() reads it.
Report report_of(const MergeResult& result);

}  // namespace assay::quality
