#include "store/csv_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "assay/error.h"
#include "core/text.h"

namespace assay::store {
namespace {

/// Excel writes tables like "a;0,25" in countries with a decimal comma. With 0, the reader detects
/// commas and tabs.
char semicolon_of(std::string_view text) {
    const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
    if (line.find(';') == std::string_view::npos || line.find('\t') != std::string_view::npos)
        return '\0';
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') quoted = !quoted;
        if (line[i] != ',' || quoted) continue;
        if (i == 0 || i + 1 == line.size() || !digit(line[i - 1]) || !digit(line[i + 1]))
            return '\0';
    }
    return ';';
}

}  // namespace

CsvColumns::CsvColumns(std::string_view text, const std::string& name, const SourceOptions& options)
    : text_(text),
      name_(name),
      options_(options),
      delimiter_(semicolon_of(text)),
      has_header_(has_header()),
      reader_(open()) {
    const std::vector<std::vector<std::string>> rows = first_rows(1);
    width_ = has_header_ ? reader_.columns().size() : rows.empty() ? 0 : rows.front().size();
    take_names(rows.empty() ? std::vector<std::string>() : rows.front());
    take_choice();
    refuse_names_twice();
}

void CsvColumns::refuse_names_twice() const {
    std::map<std::string_view, std::size_t> places;
    for (std::size_t c = 0; has_header_ && c < reader_.columns().size(); ++c) {
        const std::string_view name = trimmed(reader_.columns()[c]);
        const auto [first, is_new] = places.emplace(name, c);
        if (is_new || name.empty() || ignored_.contains(first->second)) continue;
        throw Error(ErrorCode::bad_input,
                    fmt::format("{}: the column `{}` appears twice (columns {} and {}): rename one "
                                "of them in the first line",
                                name_, shortened(name), first->second + 1, c + 1));
    }
}

void CsvColumns::take_names(const std::vector<std::string>& row) {
    // "photo" may be a class, but ids and labels are never numbers like 0.25.
    const auto holds_score = [&](std::size_t c) {
        const auto value = c < row.size() ? number_in(row[c]) : std::nullopt;
        return value && *value != std::floor(*value);
    };
    const auto& columns = reader_.columns();
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (trimmed(columns[c]).empty()) continue;
        if (FieldAt* place = place_of(role_of(columns[c])); place != nullptr && !*place) *place = c;
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (trimmed(columns[c]).empty() || role_of(columns[c]) != Role::other || holds_score(c))
            continue;
        FieldAt* place = place_of(wide_role_of(columns[c]));
        const bool second = place == &label_ && (index_ || truth_);
        if (place != nullptr && !*place && !second) *place = c;
    }
    // pandas' first column has no name. It is the id if no other column is.
    for (std::size_t c = 0; c < columns.size() && !id_; ++c) {
        if (trimmed(columns[c]).empty()) id_ = c;
    }
}

CsvColumns::FieldAt* CsvColumns::place_of(Role role) {
    switch (role) {
        case Role::id:
            return &id_;
        case Role::index:
            return &index_;
        case Role::label:
            return &label_;
        case Role::truth:
            return &truth_;
        case Role::predicted:
            return &predicted_;
        case Role::score:
            return &score_;
        case Role::other:
            break;
    }
    return nullptr;
}

CsvReader CsvColumns::open() const {
    return CsvReader(text_, name_, {.delimiter = delimiter_, .header = has_header_});
}

/// Uses the columns that the user names.
void CsvColumns::take_choice() {
    const ScoreColumnNames& choice = options_.columns;
    const auto find = [&](const std::string& wanted, const char* option) {
        std::vector<std::string> names;
        for (std::size_t c = 0; c < width_; ++c) {
            names.push_back(name_of(c));
            if (trimmed(names.back()) == trimmed(wanted)) return c;
        }
        throw Error(ErrorCode::usage, fmt::format("{}: no column is named `{}`{}", option,
                                                  shortened(wanted), suggest(wanted, names)));
    };
    const auto release = [&](std::size_t c) {
        for (FieldAt* place : {&id_, &index_, &label_, &truth_, &predicted_, &score_}) {
            if (*place == c) place->reset();
        }
    };
    const auto give = [&](FieldAt& place, const std::string& name, const char* option) {
        if (name.empty()) return;
        const std::size_t c = find(name, option);
        release(c);
        place = c;
    };
    for (const std::string& name : choice.ignored) {
        const std::size_t c = find(name, "--ignore-columns");
        release(c);
        ignored_.insert(c);
    }
    give(id_, choice.id, "--id-column");
    no_labels_ = choice.label == no_column && !has_column(no_column);
    if (!no_labels_) give(truth_, choice.label, "--label-column");
    const std::set<std::string_view> scores(choice.scores.begin(), choice.scores.end());
    for (std::size_t c = 0; c < width_ && !scores.empty(); ++c) {
        const std::string own = name_of(c);
        const std::string_view name = trimmed(own);
        const bool told = name == trimmed(choice.id) || name == trimmed(choice.label);
        if (told || !scores.contains(name)) continue;
        // A single column of classes contains the model's predictions.
        const bool classes = scores.size() == 1 && (c == label_ || c == index_);
        release(c);
        if (classes) predicted_ = c;
    }
}

bool CsvColumns::has_column(std::string_view name) const {
    return std::ranges::find(reader_.columns(), name) != reader_.columns().end();
}

std::string CsvColumns::name_of(std::size_t column) const {
    return has_header_ ? reader_.columns()[column] : std::to_string(column + 1);
}

std::vector<std::string> CsvColumns::names_of(const std::vector<std::size_t>& columns) const {
    std::vector<std::string> names;
    for (const std::size_t c : columns) names.push_back(name_of(c));
    return names;
}

std::string CsvColumns::what_was_taken() const {
    std::string said;
    const auto add = [&](std::string_view what, const std::vector<std::string>& names) {
        if (names.empty()) return;
        said += fmt::format("{}{}: ", said.empty() ? "" : "; ", what);
        said += names.size() == 1 ? "column " + shortened(names.front())
                                  : fmt::format("{} columns {}", names.size(), listed(names));
    };
    const auto one = [&](FieldAt c) { return c ? names_of({*c}) : std::vector<std::string>(); };
    if (id_ && trimmed(name_of(*id_)).empty())
        said = "ids: the column without a name";
    else
        add("ids", one(id_));
    add("labels", one(truth_));
    add(score_columns_.empty() ? "predicted classes" : "classes", names_of(class_columns_));
    add("scores", names_of(score_columns_));
    std::set<std::size_t> used(class_columns_.begin(), class_columns_.end());
    used.insert(score_columns_.begin(), score_columns_.end());
    std::vector<std::size_t> unused;
    for (std::size_t c = 0; c < width_; ++c) {
        if (!used.contains(c) && c != id_ && c != truth_ && !trimmed(name_of(c)).empty())
            unused.push_back(c);
    }
    if (!unused.empty()) said += "; not used: " + listed(names_of(unused));
    return said;
}

std::vector<std::vector<std::string>> CsvColumns::first_rows(std::size_t count) const {
    std::vector<std::vector<std::string>> rows;
    CsvReader reader = open();
    while (rows.size() < count && reader.next()) {
        rows.emplace_back();
        for (std::size_t c = 0; c < reader.fields(); ++c) rows.back().emplace_back(reader[c]);
    }
    return rows;
}

ColumnSample CsvColumns::sample_of(const std::vector<std::size_t>& columns, FieldAt labels) const {
    constexpr std::size_t most_rows = 1000, most_values = 4U << 20;
    ColumnSample sample;
    sample.named = has_header_;
    sample.has_labels = labels.has_value();
    sample.names = names_of(columns);
    CsvReader reader = open();
    while (reader.next()) {
        const bool looked_at =
            sample.rows < most_rows && sample.values.size() + columns.size() <= most_values;
        if (!looked_at && !labels) break;
        if (looked_at) {
            ++sample.rows;
            for (const std::size_t c : columns) {
                const auto value = c < reader.fields() ? number_in(reader[c]) : std::nullopt;
                sample.values.push_back(value.value_or(std::numeric_limits<float>::quiet_NaN()));
            }
        }
        if (labels && *labels < reader.fields()) sample.labels.emplace(trimmed(reader[*labels]));
    }
    return sample;
}

/// There is no header if every field of the first row is a number, except for 0, 1, 2, ...
bool CsvColumns::has_header() const {
    CsvReader first(text_, name_, {.delimiter = delimiter_, .header = false});
    if (!first.next()) return true;
    bool counts = true;
    for (std::size_t c = 0; c < first.fields(); ++c) {
        const std::string_view field = trimmed(first[c]);
        if (field.empty() || !number_in(field)) return true;
        std::uint64_t number = 0;
        counts = counts && parse_number(field, number) && number == c;
    }
    return counts;
}

std::optional<float> CsvColumns::number_in(std::string_view cell) const {
    const std::size_t comma = delimiter_ == ';' ? cell.find(',') : std::string_view::npos;
    if (comma == std::string_view::npos || cell.find('.') != std::string_view::npos)
        return parse_score(cell);
    std::string text(cell);
    text[comma] = '.';
    return parse_score(text);
}

}  // namespace assay::store
