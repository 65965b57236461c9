// Tables that are shared by the reports of several steps.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/replication/cells.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay::replication {

Table empty_table(std::string title, std::vector<Column> columns);
/// Returns text such as "0.2 to 0.4" for a bucket of frequencies; see match_bucket().
std::string bucket_name(std::size_t bucket);
/// The images with one reading, for results.
struct ReadingCell {
    int n = 0, k = 0;
    double images = 0;
    std::optional<std::span<const double>> correct = {};  ///< by classifier
};
ResultType result_type(ResultOf<ReadingCell>);
std::vector<ReadingCell> cells_of(const CellCounts& counts);

}  // namespace assay::replication
