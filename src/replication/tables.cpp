#include "replication/tables.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/replication/adjust.h"

namespace assay::replication {

Table empty_table(std::string title, std::vector<Column> columns) {
    Table table;
    table.title = std::move(title);
    table.columns = std::move(columns);
    return table;
}

std::string bucket_name(std::size_t bucket) {
    const double low = 0.2 * static_cast<double>(bucket);
    return fmt::format("{:.1f} to {:.1f}", low, 0.2 * static_cast<double>(bucket + 1));
}

nlohmann::json cells_json(const CellCounts& counts) {
    nlohmann::json out = nlohmann::json::array();
    for (std::size_t c = 0; c < counts.grid.size(); ++c) {
        out.push_back(
            {{"n", counts.grid.n(c)}, {"k", counts.grid.k(c)}, {"images", counts.images[c]}});
    }
    return out;
}

nlohmann::json line_json(const LineFit& line) {
    nlohmann::json out = {{"slope", to_json(line.slope)},
                          {"intercept", to_json(line.intercept)},
                          {"residual", line.residual}};
    if (line.covariance) out["covariance"] = *line.covariance;
    return out;
}

}  // namespace assay::replication
