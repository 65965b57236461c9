#include "replication/step_tables.h"

#include <utility>

#include <fmt/format.h>
#include "assay/describe_result.h"

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

ResultType result_type(ResultOf<ReadingCell>) {
    static constexpr auto rows = describe_result<ReadingCell>(
        {.name = "ReadingCell", .help = "Images that k of n annotators selected"},
        {
            part<&ReadingCell::n>({.help = "Annotators"}),
            part<&ReadingCell::k>({.help = "Selections"}),
            part<&ReadingCell::images>({}),
            part<&ReadingCell::correct>({.help = "Images, by classifier", .omitted = true}),
        });
    return rows;
}

std::vector<ReadingCell> cells_of(const CellCounts& counts) {
    std::vector<ReadingCell> out;
    for (std::size_t c = 0; c < counts.grid.size(); ++c)
        out.push_back({counts.grid.n(c), counts.grid.k(c), counts.images[c]});
    return out;
}

}  // namespace assay::replication
