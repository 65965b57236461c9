// Csv of described rows (assay/describe_result.h). Each row is written immediately, so that a table
// of millions takes no more memory than its text.
//
//     std::string text;
//     DescribedCsv<FrequencyRow> csv(text);
//     for (...) csv.add({image, label, annotators, selected});
#pragma once

#include <string>
#include <vector>

#include "containers/csv.h"
#include "core/list_columns.h"
#include "core/result_columns.h"

namespace assay {

/// The fields of a column. An estimate has up to three: its value and both ends of its interval,
/// `name_low` and `name_high`.
struct CsvColumn {
    std::string name;
    bool value = true, ends = false;
};

/// Cells in csv form: RFC 4180, with all digits of every number.
class CellsCsv {
public:
    /// Writes the header row.
    CellsCsv(std::string& out, std::vector<CsvColumn> columns);
    /// Adds a row. If it is too short, empty fields are appended.
    void add(const std::vector<Cell>& cells);

private:
    CsvWriter writer_;
    std::vector<CsvColumn> columns_;
};

/// The columns of a table. Its estimates are shown as in every_part.
std::vector<CsvColumn> csv_columns_of(const Table& table);

template <class Row>
class DescribedCsv {
public:
    explicit DescribedCsv(std::string& out) : csv_(out, csv_columns_of(result_table<Row>())) {}
    /// For columns that come from lists, all rows must have as many list entries as `like`.
    DescribedCsv(std::string& out, const Row& like)
        : csv_(out, csv_columns_of(result_table_for(like))) {}
    void add(const Row& row) {
        cells_.clear();
        columns_.add_cells(cells_, &row);
        csv_.add(cells_);
    }

private:
    ResultColumns columns_{result_type(ResultOf<Row>{})};
    CellsCsv csv_;
    std::vector<Cell> cells_;
};

}  // namespace assay
