// Csv of described rows (assay/describe_result.h): a row is written as soon as it is there, so that
// a table of millions takes no more memory than its text.
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

/// Which fields a column takes. An estimate has up to three: its value and both ends of its
/// interval, `name_low` and `name_high`.
struct CsvColumn {
    std::string name;
    bool value = true, ends = false;
};

/// Cells as csv: RFC 4180, every number with all its digits.
class CellsCsv {
public:
    /// Writes the line of names.
    CellsCsv(std::string& out, std::vector<CsvColumn> columns);
    /// A short row ends with empty fields.
    void add(const std::vector<Cell>& cells);

private:
    CsvWriter writer_;
    std::vector<CsvColumn> columns_;
};

/// The columns of a table whose estimates are those that every_part shows.
std::vector<CsvColumn> csv_columns_of(const Table& table);

template <class Row>
class DescribedCsv {
public:
    explicit DescribedCsv(std::string& out) : csv_(out, csv_columns_of(result_table<Row>())) {}
    /// All rows have the entries of `like` in the lists that columns are made of.
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
