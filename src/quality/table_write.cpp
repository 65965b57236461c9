// The table as csv.
#include <fmt/format.h>

#include <algorithm>

#include "assay/quality/table.h"
#include "assay/report.h"
#include "containers/csv.h"
#include "quality/table_values.h"

namespace assay::quality {
namespace {

std::string text_of_part(const QualityCell& cell, CellPart part) {
    switch (part) {
        case CellPart::value:
            return cell.value ? fmt::format("{}", *cell.value) : "";
        case CellPart::error:
            return cell.standard_error ? fmt::format("{}", *cell.standard_error) : "";
        case CellPart::n:
            return cell.n > 0 ? std::to_string(cell.n) : "";
        case CellPart::definition:
            return cell.definition;
        case CellPart::note:
            return cell.note;
        case CellPart::undefined:
            return cell.undefined;
    }
    return "";
}

/// Every dimension, and the other parts of a dimension if some model has them.
std::vector<ColumnMeaning> columns_for(const QualityTable& table) {
    std::vector<ColumnMeaning> columns;
    for (const DimensionFacts& facts : dimension_facts()) {
        for (const CellPart part : {CellPart::value, CellPart::error, CellPart::n,
                                    CellPart::definition, CellPart::note, CellPart::undefined}) {
            const bool any = std::ranges::any_of(table.models, [&](const QualityModel& model) {
                return !text_of_part(model.cell(facts.dimension), part).empty();
            });
            if (any || part == CellPart::value) columns.push_back({facts.dimension, part});
        }
    }
    return columns;
}

/// The first row is the header.
std::vector<std::vector<std::string>> csv_rows(const QualityTable& table) {
    const std::vector<ColumnMeaning> columns = columns_for(table);
    const bool notes =
        std::ranges::any_of(table.models, [](const auto& model) { return !model.note.empty(); });
    std::vector<std::vector<std::string>> rows(1);
    rows[0] = {std::string(name_column), std::string(hash_column)};
    if (notes) rows[0].emplace_back(note_column);
    rows[0].insert(rows[0].end(), table.tags.begin(), table.tags.end());
    for (const ColumnMeaning& column : columns) rows[0].push_back(column_of(column));
    for (const QualityModel& model : table.models) {
        std::vector<std::string>& row = rows.emplace_back();
        row = {model.name, model.file_hash};
        if (notes) row.push_back(model.note);
        row.insert(row.end(), model.tags.begin(), model.tags.end());
        for (const ColumnMeaning& column : columns)
            row.push_back(text_of_part(model.cell(column.dimension), column.part));
    }
    return rows;
}

}  // namespace

std::string write_quality_csv(const QualityTable& table) {
    std::string out;
    CsvWriter writer(out);
    for (const std::vector<std::string>& row : csv_rows(table)) writer.row(row);
    return out;
}

assay::Table quality_records(const QualityTable& table) {
    assay::Table made;
    std::vector<std::vector<std::string>> rows = csv_rows(table);
    for (std::string& name : rows[0]) made.columns.push_back({.name = std::move(name)});
    for (std::size_t r = 1; r < rows.size(); ++r)
        made.add(
            {std::make_move_iterator(rows[r].begin()), std::make_move_iterator(rows[r].end())});
    return made;
}

}  // namespace assay::quality
