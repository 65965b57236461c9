// Interprets cells of tables of labels, and describes how columns were interpreted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"
#include "data/label_columns.h"

namespace assay {

std::string LabelColumns::said(const TableSample& table, std::string_view others_are) const {
    constexpr std::size_t most = 12;
    const auto names_of = [&](const std::vector<std::size_t>& columns) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < std::min(most, columns.size()); ++i) {
            const std::string& name = table.names[columns[i]];
            names.push_back(trimmed(name).empty() ? "(no name)" : shortened(name));
        }
        return fmt::format("{}{}", fmt::join(names, ", "), columns.size() > most ? ", ..." : "");
    };
    std::string text = "labels: none";
    if (label) {
        text = fmt::format("labels: column {}{}", names_of({*label}),
                           form == Form::several ? ", several in a cell"
                           : form == Form::boxes ? ", the first of each five words"
                                                 : "");
    } else if (!flags.empty()) {
        std::vector<std::size_t> columns;
        for (const Flag& flag : flags) columns.push_back(flag.column);
        text = fmt::format("labels: {} columns of {} and 1 ({})", columns.size(),
                           signs ? "-1" : "0", names_of(columns));
    }
    text += image ? "; images: column " + names_of({*image}) : "; images: not named";
    if (id) text += "; ids: column " + names_of({*id});
    if (!others.empty()) text += fmt::format("; {}: {}", others_are, names_of(others));
    if (!unused.empty() && others_are == "not used" && !others.empty()) {
        text += ", " + names_of(unused);
    } else if (!unused.empty()) {
        text += "; not used: " + names_of(unused);
    }
    return text;
}

bool names_an_image(std::string_view cell) {
    return has_image_extension(cell) || imagenet_val_number(cell) != 0;
}

std::optional<bool> flag_value(std::string_view cell) {
    const std::string_view number = whole_number(cell);
    if (number == "1") return true;
    if (number.empty() || number == "0" || number == "-1") return false;
    const std::string text = loose_name(number);
    if (text == "true") return true;
    if (text == "false") return false;
    return std::nullopt;
}

std::string_view whole_number(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == text.size()) return text;
    const std::string_view whole =
        text.substr(text.front() == '-' ? 1 : 0, dot - (text.front() == '-' ? 1 : 0));
    const bool is_whole = !whole.empty() &&
                          whole.find_first_not_of("0123456789") == std::string_view::npos &&
                          text.find_first_not_of('0', dot + 1) == std::string_view::npos;
    return is_whole ? text.substr(0, dot) : text;
}

}  // namespace assay
