// What the reports of several steps show alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/replication/cells.h"
#include "assay/report.h"

namespace assay::replication {

struct LineFit;

Table empty_table(std::string title, std::vector<Column> columns);
/// "0.2 to 0.4": a bucket of frequencies, see match_bucket().
std::string bucket_name(std::size_t bucket);
/// [{"n", "k", "images"}, ...]
nlohmann::json cells_json(const CellCounts& counts);
/// {"slope", "intercept", "residual", "covariance" where known}
nlohmann::json line_json(const LineFit& line);

}  // namespace assay::replication
