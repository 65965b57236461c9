// Writes output for programs: one table, with all digits of every number.
#include <variant>

#include "containers/described_csv.h"
#include "report/renderers.h"

namespace assay {
namespace {

using Show = Column::Show;

/// The fields that the columns occupy. Columns with estimates may become several; bars are for
/// people and are skipped.
std::vector<CsvColumn> csv_columns(const Table& table) {
    std::vector<CsvColumn> columns;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        bool estimates = column.show == Show::every_part, bars = false;
        for (const auto& row : table.rows) {
            if (c >= row.size()) continue;
            estimates = estimates || std::holds_alternative<Estimate>(row[c]);
            bars = bars || std::holds_alternative<Bar>(row[c]);
        }
        columns.push_back({.name = column.name,
                           .value = !bars && (!estimates || column.show != Show::interval),
                           .ends = !bars && estimates && column.show != Show::value});
    }
    return columns;
}

const Table* first_table(const Report& report) {
    const Table* first = nullptr;
    for_each_section(report.sections, [&](const Section& section, int) {
        for (const Block& block : section.blocks) {
            if (first == nullptr) first = std::get_if<Table>(&block);
        }
    });
    return first;
}

}  // namespace

std::string render_csv(const Report& report) {
    const Table* table = report.records.columns.empty() ? first_table(report) : &report.records;
    std::string out;
    if (table == nullptr) return out;
    CellsCsv csv(out, csv_columns(*table));
    for (const auto& row : table->rows) {
        if (!row.empty()) csv.add(row);
    }
    return out;
}

}  // namespace assay
