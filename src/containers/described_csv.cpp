#include "containers/described_csv.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <variant>

namespace assay {
namespace {

std::string all_digits(const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
}

std::string csv_field_of(const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* count = std::get_if<Count>(&cell)) return std::to_string(count->value);
    if (const auto* number = std::get_if<Number>(&cell)) return all_digits(number->value);
    if (const auto* p = std::get_if<PValue>(&cell)) return all_digits(p->value);
    if (const auto* yes = std::get_if<bool>(&cell)) return *yes ? "true" : "false";
    if (const auto* estimate = std::get_if<Estimate>(&cell)) return all_digits(estimate->value);
    return "";
}

}  // namespace

CellsCsv::CellsCsv(std::string& out, std::vector<CsvColumn> columns)
    : writer_(out), columns_(std::move(columns)) {
    for (const CsvColumn& column : columns_) {
        if (column.value) writer_.field(column.name);
        if (!column.ends) continue;
        writer_.field(column.name + "_low");
        writer_.field(column.name + "_high");
    }
    writer_.end_row();
}

void CellsCsv::add(const std::vector<Cell>& cells) {
    const Cell none;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        const Cell& cell = c < cells.size() ? cells[c] : none;
        if (columns_[c].value) writer_.field(csv_field_of(cell));
        if (!columns_[c].ends) continue;
        const auto* estimate = std::get_if<Estimate>(&cell);
        const bool has = estimate != nullptr && estimate->interval;
        writer_.field(has ? all_digits(estimate->interval->low) : "");
        writer_.field(has ? all_digits(estimate->interval->high) : "");
    }
    writer_.end_row();
}

std::vector<CsvColumn> csv_columns_of(const Table& table) {
    std::vector<CsvColumn> columns;
    for (const Column& column : table.columns)
        columns.push_back({column.name, true, column.show == Column::Show::every_part});
    return columns;
}

}  // namespace assay
