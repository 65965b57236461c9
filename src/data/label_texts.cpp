#include "data/label_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::string_view blanks = " \t";

bool has_blank(std::string_view text) {
    return text.find_first_of(blanks) != std::string_view::npos;
}

/// True if cells make the class ambiguous: "dog hot", if dog and hot are also classes.
bool is_ids(std::string_view name, const ClassList& classes) {
    bool all = true;
    for_each_part(name, blanks, [&](std::string_view word) {
        const auto found = classes.find(word);
        all = all && found && classes.id(static_cast<std::size_t>(*found)) == word;
    });
    return all;
}

/// The inside of "[3, 9]", "(3, 9)" or "{3, 9}", as Python prints lists, tuples and sets.
bool is_printed_list(std::string_view cell) {
    constexpr std::string_view open = "[({", close = "])}";
    const std::size_t kind = cell.empty() ? std::string_view::npos : open.find(cell.front());
    return kind != std::string_view::npos && cell.size() >= 2 && cell.back() == close[kind];
}

/// Calls visit(member) for each member: quoted texts as a whole, otherwise text between commas, or
/// between blanks if there is no comma.
template <class Visit>
void for_each_member(std::string_view list, const std::string& where, Visit&& visit) {
    std::string_view rest = trimmed(list.substr(1, list.size() - 2));
    const bool quoted = !rest.empty() && (rest.front() == '\'' || rest.front() == '"');
    if (!quoted) {
        const bool commas = rest.find(',') != std::string_view::npos;
        return for_each_part(rest, commas ? "," : " \t\r\n", [&](std::string_view part) {
            if (part == "...") {
                throw Error(ErrorCode::bad_input,
                            where + ": the list was shortened with `...` when it was printed");
            }
            visit(part);
        });
    }
    while (!rest.empty()) {
        const char quote = rest.front();
        const std::size_t end =
            quote == '\'' || quote == '"' ? rest.find(quote, 1) : std::string_view::npos;
        if (end == std::string_view::npos)
            throw Error(ErrorCode::bad_input, where + ": a quote in the list is not closed");
        visit(rest.substr(1, end - 1));
        rest = trimmed(rest.substr(end + 1));
        if (rest.starts_with(',')) rest = trimmed(rest.substr(1));
    }
}

}  // namespace

std::int32_t LabelTexts::number(std::string_view text, std::size_t line) {
    if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
    const auto next = static_cast<std::int32_t>(list_.texts.size());
    list_.texts.push_back({std::string(text), line});
    numbers_.emplace(text, next);
    return next;
}

bool LabelTexts::is_label(std::string_view text) const {
    std::uint64_t value = 0;
    return classes_ != nullptr ? classes_->find(text).has_value() : parse_number(text, value);
}

bool LabelTexts::is_one_label(std::string_view cell, bool many) const {
    if (!has_blank(cell) || numbers_.contains(cell)) return true;
    if (classes_ != nullptr && classes_->find(cell)) return true;
    if (many) return false;
    bool all_labels = true;
    for_each_part(cell, blanks,
                  [&](std::string_view part) { all_labels = all_labels && is_label(part); });
    return !all_labels;
}

void LabelTexts::add_row(std::string_view cell, bool many, std::size_t line) {
    row_.clear();
    cell = trimmed(cell);
    const auto add = [&](std::string_view label) {
        if (minus_one_is_class_ || (label != "-1" && label != "-1.0")) {
            row_.push_back(number(label, line));
        } else {
            ++list_.marked_none;
        }
    };
    const bool listed = cell.find_first_of(";|") != std::string_view::npos;
    if (is_printed_list(cell) && (classes_ == nullptr || !classes_->find(cell))) {
        for_each_member(cell, fmt::format("{} line {}", list_.source, line), add);
    } else if (listed) {
        for_each_part(cell, ";|", add);
    } else if (cell.empty()) {
        // no label
    } else if (is_one_label(cell, many)) {
        add(cell);
    } else {
        for_each_part(cell, blanks, add);
    }
    list_.labels.append(row_);
}

void LabelTexts::add_boxes(std::string_view cell, std::size_t line) {
    row_.clear();
    std::size_t word = 0;
    for_each_part(cell, blanks, [&](std::string_view part) {
        if (word++ % 5 == 0) row_.push_back(number(part, line));
    });
    if (word % 5 != 0) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "{} line {}: a PredictionString must hold groups of five words (class x y x y); "
                "this one has {} words",
                list_.source, line, word));
    }
    list_.labels.append(row_);
}

void check_label_ids(const ClassList& classes) {
    for (const std::string& id : classes.ids()) {
        if (id == "-1" || id != trimmed(id) || id.find_first_of(";|\r\n") != std::string::npos) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format(
                    "class `{}` cannot be in a list of labels: `;`, `|` and line ends separate "
                    "there, blanks at the ends are cut off, and -1 means none",
                    shortened(id)));
        }
    }
}

LabelCells::LabelCells(const ClassList& classes) : classes_(classes) {
    check_label_ids(classes);
    blanks_ =
        std::any_of(classes.ids().begin(), classes.ids().end(), has_blank) ||
        std::any_of(classes.names().begin(), classes.names().end(), [&](const std::string& name) {
            return has_blank(name) && is_ids(name, classes);
        });
}

std::string LabelCells::text(std::span<const std::int32_t> labels) const {
    std::string out;
    for (const std::int32_t c : labels) {
        if (!blanks_ && !out.empty()) out += ' ';
        out += classes_.id(static_cast<std::size_t>(c));
        if (blanks_) out += ';';
    }
    return out;
}

}  // namespace assay
