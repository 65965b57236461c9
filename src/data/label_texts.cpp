#include "label_texts.h"

#include <fmt/format.h>

#include "assay/error.h"
#include "text.h"

namespace assay {
namespace {

constexpr std::string_view blanks = " \t";

/// Calls visit(part) for each trimmed part that is not empty.
template <class Visit>
void for_each_part(std::string_view text, std::string_view separators, Visit&& visit) {
    while (!text.empty()) {
        const std::size_t end = text.find_first_of(separators);
        const std::string_view part = trimmed(text.substr(0, end));
        if (!part.empty()) visit(part);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

}  // namespace

std::int32_t LabelTexts::number_of(std::string_view text, std::size_t line) {
    if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
    const auto number = static_cast<std::int32_t>(list_.texts.size());
    list_.texts.push_back({std::string(text), line});
    numbers_.emplace(text, number);
    return number;
}

bool LabelTexts::is_label(std::string_view text) const {
    std::uint64_t number = 0;
    return classes_ != nullptr ? classes_->find(text).has_value() : parse_number(text, number);
}

bool LabelTexts::is_one_label(std::string_view cell, bool many) const {
    if (cell.find_first_of(blanks) == std::string_view::npos || numbers_.contains(cell)) return true;
    if (classes_ != nullptr && classes_->find(cell)) return true;
    if (many) return false;
    bool all_labels = true;
    for_each_part(cell, blanks, [&](std::string_view part) { all_labels = all_labels && is_label(part); });
    return !all_labels;
}

void LabelTexts::add_row(std::string_view cell, bool many, std::size_t line) {
    row_.clear();
    cell = trimmed(cell);
    const auto add = [&](std::string_view label) {
        if (label != "-1") row_.push_back(number_of(label, line));
    };
    const bool listed = cell.find_first_of(";|") != std::string_view::npos;
    if (listed) {
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
        if (word++ % 5 == 0) row_.push_back(number_of(part, line));
    });
    if (word % 5 != 0) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} line {}: a PredictionString must hold groups of five words (class x y x y); "
                                "this one has {} words",
                                list_.source, line, word));
    }
    list_.labels.append(row_);
}

}  // namespace assay
