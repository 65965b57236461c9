// A Parquet file of a small table.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "containers/column_table.h"
#include "containers/csv.h"
#include "containers/parquet/parquet_writer.h"

namespace assay {

/// Columns of texts, or of doubles if every cell is a number or empty.
inline std::string parquet_of(const std::string& csv) {
    CsvReader reader(csv, "made.csv");
    const std::vector<std::string> names = reader.columns();
    std::vector<std::vector<std::string>> cells(names.size());
    while (reader.next())
        for (std::size_t c = 0; c < names.size(); ++c) cells[c].emplace_back(reader[c]);
    ColumnTable table;
    for (std::size_t c = 0; c < names.size(); ++c) {
        std::vector<double> numbers;
        bool all = true;
        for (const std::string& cell : cells[c]) {
            double value = 0;
            const auto [end, problem] =
                std::from_chars(cell.data(), cell.data() + cell.size(), value);
            all = all &&
                  (cell.empty() || (problem == std::errc() && end == cell.data() + cell.size()));
            numbers.push_back(value);
        }
        table.specs.push_back({names[c], all ? ColumnType::float64 : ColumnType::text});
        ColumnRows rows;
        for (std::size_t r = 0; r < cells[c].size(); ++r) {
            rows.there.push_back(cells[c][r].empty() ? 0 : 1);
            if (cells[c][r].empty()) continue;
            if (all) {
                rows.float64.push_back(numbers[r]);
            } else {
                rows.text += cells[c][r];
                rows.sizes.push_back(static_cast<std::uint32_t>(cells[c][r].size()));
            }
        }
        table.columns.push_back(std::move(rows));
    }
    std::string bytes;
    const auto file =
        parquet::write_parquet(table.specs, {}, 1, [&](std::string_view piece) { bytes += piece; });
    file->write(table);
    file->finish();
    return bytes;
}

}  // namespace assay
