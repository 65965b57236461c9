#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/renderers.h"

namespace assay {
namespace {

template <class... Function>
struct Overloaded : Function... {
    using Function::operator()...;
};
template <class... Function>
Overloaded(Function...) -> Overloaded<Function...>;

/// Returns "+1.2" for a number above 0 that is not shown as 0.
std::string with_plus(std::string number, bool plus) {
    const bool above =
        number.find_first_of("123456789") != std::string::npos && !number.starts_with('-');
    return plus && above ? "+" + number : number;
}

std::string interval_text(const Estimate& e) {
    if (!e.interval) return "";
    const double half = half_width(e);
    return number_text(e.interval->low, half, e.unit) + " – " +
           number_text(e.interval->high, half, e.unit);
}

std::string estimate_text(const Estimate& e, const Column& column) {
    using Show = Column::Show;
    if (column.show == Show::interval) return interval_text(e);
    if (!e.value) return "–";
    const double half = half_width(e);
    std::string text = with_plus(number_text(*e.value, half, e.unit), column.sign);
    if (!e.interval || column.show == Show::value) return text;
    if (column.show == Show::value_and_half) return text + " ±" + number_text(half, half, e.unit);
    return text + " (" + interval_text(e) + ")";
}

std::string plain_number_text(const Number& n) {
    if (n.digits < 0) return with_plus(number_text(n.value, n.uncertainty, n.unit), n.sign);
    const double value = n.unit == Unit::proportion ? 100 * n.value : n.value;
    return with_plus(without_sign_of_zero(fmt::format("{:.{}f}", value, n.digits)), n.sign);
}

}  // namespace

std::vector<std::size_t> columns_without_bars(const Table& table) {
    std::vector<std::size_t> shown;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const bool bars = std::ranges::any_of(table.rows, [&](const auto& row) {
            return c < row.size() && std::holds_alternative<Bar>(row[c]);
        });
        if (!bars) shown.push_back(c);
    }
    return shown;
}

std::string bar_text(double proportion, int width) {
    static constexpr std::string_view eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int filled =
        static_cast<int>(std::lround(std::clamp(proportion, 0.0, 1.0) * width * 8.0));
    std::string out;
    for (int i = 0; i < filled / 8; ++i) out += "█";
    int cells = filled / 8;
    if (filled % 8 != 0) {
        out += eighths[filled % 8];
        ++cells;
    }
    return out + std::string(static_cast<std::size_t>(std::max(0, width - cells)), ' ');
}

std::string cell_text(const Cell& cell, const Column& column) {
    return std::visit(
        Overloaded{[](std::monostate) { return std::string(); },
                   [](const std::string& text) { return text; },
                   [](const Count& count) { return count_text(count.value); },
                   [](const Number& number) { return plain_number_text(number); },
                   [&](const Estimate& estimate) { return estimate_text(estimate, column); },
                   [](const PValue& p) { return p_value_text(p.value); },
                   [](bool yes) { return std::string(yes ? "yes" : "no"); },
                   [](const Bar& bar) { return bar_text(bar.value, bar.width); }},
        cell);
}

}  // namespace assay
