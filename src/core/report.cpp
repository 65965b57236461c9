#include "assay/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/interval_sides.h"
#include "core/text.h"

namespace assay {
namespace {

/// A number as it is printed with an interval of this half width.
std::string printed(double value, double half, Unit unit, std::optional<int> decimals) {
    if (!decimals) return number_text(value, half, unit);
    return without_sign_of_zero(
        fmt::format("{:.{}f}", unit == Unit::proportion ? 100 * value : value, *decimals));
}

struct Sides {
    bool any = false;  ///< true if some value of the column has an interval
    bool equal = true;
};
Sides sides_of(const Table& table, std::size_t column) {
    Sides sides;
    for (const std::vector<Cell>& row : table.rows) {
        const Estimate* const e =
            column < row.size() ? std::get_if<Estimate>(&row[column]) : nullptr;
        if (e == nullptr || !e->value || !e->interval) continue;
        sides.any = true;
        sides.equal = sides.equal && has_equal_sides(*e);
    }
    return sides;
}

}  // namespace

bool has_equal_sides(const Estimate& e, std::optional<int> decimals) {
    const double half = half_width(e);
    return printed(*e.value - e.interval->low, half, e.unit, decimals) ==
           printed(e.interval->high - *e.value, half, e.unit, decimals);
}

Estimate without_sign(const Estimate& e) {
    Estimate size = e;
    if (!e.value || *e.value >= 0) return size;
    size.value = -*e.value;
    if (e.interval) {
        size.interval->low = -e.interval->high;
        size.interval->high = -e.interval->low;
    }
    return size;
}

std::string sides_text(const Estimate& e, std::optional<int> decimals) {
    if (!e.interval || !e.value) return "";
    const double half = half_width(e);
    const auto text = [&](double x) { return printed(x, half, e.unit, decimals); };
    if (has_equal_sides(e, decimals)) return "±" + text(half);
    return fmt::format("({} – {})", text(e.interval->low), text(e.interval->high));
}

void Table::add(std::vector<Cell> cells) {
    if (cells.size() > columns.size() || cells.empty()) {
        throw Error(ErrorCode::internal, fmt::format("table `{}`: a row of {} cells for {} columns",
                                                     title, cells.size(), columns.size()));
    }
    rows.push_back(std::move(cells));
}

std::vector<Column> shown_columns(const Table& table) {
    using Show = Column::Show;
    std::vector<Column> columns = table.columns;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].show != Show::value_and_half || sides_of(table, c).equal) continue;
        const bool beside = c + 1 < columns.size() && columns[c + 1].show == Show::interval;
        columns[c].show = beside ? Show::value : Show::value_and_interval;
    }
    return columns;
}

std::string_view sides_note(const Table& table) {
    const std::vector<Column> shown = shown_columns(table);
    bool halves = false, ends = false;
    for (std::size_t c = 0; c < shown.size(); ++c) {
        if (table.columns[c].show != Column::Show::value_and_half) continue;
        halves =
            halves || (shown[c].show == Column::Show::value_and_half && sides_of(table, c).any);
        ends = ends || shown[c].show == Column::Show::value_and_interval;
    }
    return halves ? "± is half of the interval" : ends ? "in brackets: the interval" : "";
}

void Report::name_records(const std::string& group) {
    for (const auto& row : records.rows) {
        for (std::size_t c = 1; c < row.size(); ++c) {
            if (const auto* value = std::get_if<Estimate>(&row[c]))
                values.push_back(
                    {{group, std::get<std::string>(row[0]), records.columns[c].name}, *value});
        }
    }
}

std::string number_text(double value, double half_width, Unit unit) {
    // Tied ranks lie half way between two ranks.
    if (unit == Unit::rank)
        return fmt::format("{:.{}f}", value, value == std::round(value) ? 0 : 1);
    const bool percent = unit == Unit::proportion;
    const double scale = percent ? 100 : 1;
    value *= scale;
    half_width *= scale;
    // Shows two digits of the uncertainty, or four digits of the value if there is none.
    const double step = half_width > 0 ? half_width / 10 : std::abs(value) / 1000;
    const int digits =
        step > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(step))), 0, 9) : 2;
    return without_sign_of_zero(
        fmt::format("{:.{}f}", value, percent ? std::clamp(digits, 1, 4) : std::max(digits, 2)));
}

std::string p_value_text(double p) {
    return p < 1e-6 ? "< 1e-6" : p < 0.001 ? fmt::format("{:.1e}", p) : fmt::format("{:.3f}", p);
}

std::string count_text(std::uint64_t n) {
    const std::string digits = std::to_string(n);
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) out.push_back(',');
        out.push_back(digits[i]);
    }
    return out;
}

}  // namespace assay
