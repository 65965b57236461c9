// For programs: RFC 4180, one table, every number with all its digits.
#include <fmt/format.h>

#include "containers/csv.h"
#include "report/renderers.h"

namespace assay {
namespace {

using Show = Column::Show;

std::string exact(const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
}

/// An estimate takes up to three columns: its value and both ends of its interval.
bool has_value(const Column& column) {
    return column.show != Show::interval;
}
bool has_ends(const Column& column) {
    return column.show != Show::value;
}

/// Which columns hold estimates, and so may become several; bars are for people and take none.
struct Kinds {
    std::vector<bool> estimates, bars;
};

Kinds kinds_of(const Table& table) {
    Kinds kinds{std::vector<bool>(table.columns.size()), std::vector<bool>(table.columns.size())};
    for (const auto& row : table.rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (std::holds_alternative<Estimate>(row[c])) kinds.estimates[c] = true;
            if (std::holds_alternative<Bar>(row[c])) kinds.bars[c] = true;
        }
    }
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].show == Show::every_part) kinds.estimates[c] = true;
    }
    return kinds;
}

std::string plain_cell(const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* count = std::get_if<Count>(&cell)) return std::to_string(count->value);
    if (const auto* number = std::get_if<Number>(&cell)) return exact(number->value);
    if (const auto* p = std::get_if<PValue>(&cell)) return exact(p->value);
    if (const auto* yes = std::get_if<bool>(&cell)) return *yes ? "true" : "false";
    return "";
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
    CsvWriter writer(out);
    const Kinds kinds = kinds_of(*table);
    for (std::size_t c = 0; c < table->columns.size(); ++c) {
        const Column& column = table->columns[c];
        if (kinds.bars[c]) continue;
        if (!kinds.estimates[c] || has_value(column)) writer.field(column.name);
        if (kinds.estimates[c] && has_ends(column)) {
            writer.field(column.name + "_low");
            writer.field(column.name + "_high");
        }
    }
    writer.end_row();
    for (const auto& row : table->rows) {
        if (row.empty()) continue;
        for (std::size_t c = 0; c < table->columns.size(); ++c) {
            const Column& column = table->columns[c];
            if (kinds.bars[c]) continue;
            const Cell& cell = c < row.size() ? row[c] : Cell();
            const auto* estimate = std::get_if<Estimate>(&cell);
            if (!kinds.estimates[c] || has_value(column))
                writer.field(estimate == nullptr ? plain_cell(cell) : exact(estimate->value));
            if (kinds.estimates[c] && has_ends(column)) {
                const Interval* ends =
                    estimate != nullptr && estimate->interval ? &*estimate->interval : nullptr;
                writer.field(ends == nullptr ? "" : exact(ends->low));
                writer.field(ends == nullptr ? "" : exact(ends->high));
            }
        }
        writer.end_row();
    }
    return out;
}

}  // namespace assay
