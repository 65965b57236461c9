// Tables in csv: a full matrix, or the best entries of each image in the three ways that timm's
// inference script writes them.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "assay/error.h"
#include "cells.h"
#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "score_source.h"
#include "table_builder.h"

namespace assay::store {
namespace {

using FieldAt = std::optional<std::size_t>;

/// "prob_12" gives ("prob", 12), "c7" ("c", 7), "7" ("", 7); nothing without a number at the end.
std::optional<std::pair<std::string_view, std::uint64_t>> numbered(std::string_view name) {
    name = trimmed(name);
    const std::size_t last = name.find_last_not_of("0123456789");
    const std::size_t digits = last == std::string_view::npos ? 0 : last + 1;
    std::uint64_t number = 0;
    if (!parse_number(name.substr(digits), number)) return std::nullopt;
    std::string_view prefix = name.substr(0, digits);
    if (prefix.ends_with('_') || prefix.ends_with('-') || prefix.ends_with('.'))
        prefix.remove_suffix(1);
    return std::pair(prefix, number);
}

class CsvTable {
public:
    CsvTable(std::string_view text, const std::string& name, const SourceOptions& options)
        : reader_(text, name, {.header = has_header(text, name)}), builder_(options) {
        const auto& columns = reader_.columns();
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const Role role = role_of(columns[c]);
            FieldAt& place = role == Role::id      ? id_
                             : role == Role::index ? index_
                             : role == Role::label ? label_
                                                   : score_;
            if (role != Role::other && !place) place = c;
        }
        // A matrix may have a column named `index`, too; entries need a score beside it.
        series(index_series_, Role::index);
        series(label_series_, Role::label);
        series(score_series_, Role::score);
    }

    ScoreSource read() {
        if (score_ && (index_ || label_)) return entries();
        if (score_) return lists_of_all();
        const auto& classes = !index_series_.empty() ? index_series_ : label_series_;
        if (!classes.empty() && !score_series_.empty()) return series_of_entries(classes);
        return matrix();
    }

private:
    /// Without a header when every field of the first row is a number, unless they count 0, 1, 2,
    /// ...
    static bool has_header(std::string_view text, const std::string& name) {
        CsvReader first(text, name, {.header = false});
        if (!first.next()) return true;
        bool counts = true;
        for (std::size_t c = 0; c < first.fields(); ++c) {
            const std::string_view field = trimmed(first[c]);
            if (field.empty() || !parse_score(field)) return true;
            std::uint64_t number = 0;
            counts = counts && parse_number(field, number) && number == c;
        }
        return counts;
    }

    /// Columns NAME_0, NAME_1, ... whose NAME has the role, in the order of their numbers.
    void series(std::vector<std::size_t>& out, Role role) {
        std::vector<std::pair<std::uint64_t, std::size_t>> found;
        for (std::size_t c = 0; c < reader_.columns().size(); ++c) {
            const auto split = numbered(reader_.columns()[c]);
            if (split && !split->first.empty() && role_of(split->first) == role)
                found.emplace_back(split->second, c);
        }
        std::sort(found.begin(), found.end());
        for (const auto& [number, column] : found) out.push_back(column);
    }

    std::optional<std::string_view> id() const {
        return id_ ? std::optional(reader_[*id_]) : std::nullopt;
    }
    float score(std::string_view cell) const {
        const std::optional<float> value = parse_score(cell);
        if (!value) throw reader_.error(fmt::format("`{}` is not a number", shortened(cell)));
        return *value;
    }
    template <class Body>
    void in_row(Body&& body) {
        try {
            body();
        } catch (Error& error) {
            error.add_note("reading " + reader_.where());
            throw;
        }
    }
    ScoreSource finish(std::size_t score_column) {
        ScoreSource source = builder_.finish();
        source.hint = kind_from_name(reader_.columns().at(score_column));
        return source;
    }

    ScoreSource entries() {
        if (!id_)
            throw Error(ErrorCode::bad_input,
                        "a table of entries needs a column filename, id, path or image");
        const std::size_t classes = index_ ? *index_ : *label_;
        std::vector<std::string_view> class_list;
        std::vector<std::string_view> score_list;
        while (reader_.next()) {
            in_row([&] {
                if (!is_list(reader_[*score_])) {
                    builder_.add_entry(reader_[*id_], {builder_.class_of(reader_[classes]),
                                                       score(reader_[*score_])});
                    return;
                }
                parse_list(reader_[classes], class_list);
                parse_list(reader_[*score_], score_list);
                if (class_list.size() != score_list.size()) {
                    throw reader_.error(fmt::format("{} classes for {} scores", class_list.size(),
                                                    score_list.size()));
                }
                std::vector<TopEntry> row;
                for (std::size_t i = 0; i < class_list.size(); ++i) {
                    row.push_back({builder_.class_of(class_list[i]), score(score_list[i])});
                }
                builder_.add_top(id(), std::move(row));
            });
        }
        return finish(*score_);
    }

    ScoreSource series_of_entries(const std::vector<std::size_t>& classes) {
        if (classes.size() != score_series_.size()) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the table has {} columns of classes and {} of scores",
                                    classes.size(), score_series_.size()));
        }
        while (reader_.next()) {
            in_row([&] {
                std::vector<TopEntry> row;
                for (std::size_t i = 0; i < classes.size(); ++i) {
                    row.push_back(
                        {builder_.class_of(reader_[classes[i]]), score(reader_[score_series_[i]])});
                }
                builder_.add_top(id(), std::move(row));
            });
        }
        return finish(score_series_.front());
    }

    /// One column with a list of all scores in each cell.
    ScoreSource lists_of_all() {
        std::vector<std::string_view> list;
        std::vector<float> row;
        while (reader_.next()) {
            in_row([&] {
                parse_list(reader_[*score_], list);
                row.clear();
                for (const std::string_view member : list) row.push_back(score(member));
                builder_.add_full(id(), row);
            });
        }
        return finish(*score_);
    }

    ScoreSource matrix() {
        if (!id_) id_ = index_;         // as pandas calls the rows' own numbers
        std::vector<std::size_t> from;  // columns of the scores
        std::vector<std::string> names;
        for (std::size_t c = 0; c < reader_.columns().size(); ++c) {
            if (c == id_ || c == index_ || c == label_) continue;
            from.push_back(c);
            names.push_back(reader_.columns()[c]);
        }
        const std::vector<std::size_t> place = places(names);
        std::vector<float> row(from.size());
        bool first = true;
        while (reader_.next()) {
            if (first && from.empty() &&
                reader_.columns().empty()) {  // no header: the first row tells the width
                for (std::size_t c = 0; c < reader_.fields(); ++c) from.push_back(c);
                row.resize(from.size());
            }
            first = false;
            in_row([&] {
                if (reader_.columns().empty() && reader_.fields() != from.size()) {
                    throw reader_.error(fmt::format("{} fields where the first row has {}",
                                                    reader_.fields(), from.size()));
                }
                for (std::size_t i = 0; i < from.size(); ++i) {
                    row[place.empty() ? i : place[i]] = score(reader_[from[i]]);
                }
                builder_.add_full(id(), row);
            });
        }
        ScoreSource source = builder_.finish();
        if (place.empty() && !names.empty()) source.columns = ClassList(std::move(names));
        if (!place.empty()) source.hint = kind_from_name(names.front());
        return source;
    }

    /// Where each column's score goes when the names are numbers 0 to C - 1 in any order ("c0",
    /// "c1", "c10", ...); empty when the names are the classes' own.
    static std::vector<std::size_t> places(const std::vector<std::string>& names) {
        std::vector<std::size_t> place;
        std::vector<bool> taken(names.size(), false);
        std::string_view prefix;
        for (const std::string& name : names) {
            const auto split = numbered(name);
            if (!split || split->second >= names.size() || taken[split->second]) return {};
            if (!place.empty() && split->first != prefix) return {};
            prefix = split->first;
            taken[split->second] = true;
            place.push_back(split->second);
        }
        return place;
    }

    CsvReader reader_;
    TableBuilder builder_;
    FieldAt id_;
    FieldAt index_;
    FieldAt label_;
    FieldAt score_;
    std::vector<std::size_t> index_series_;
    std::vector<std::size_t> label_series_;
    std::vector<std::size_t> score_series_;
};

}  // namespace

ScoreSource read_csv(std::string_view text, const std::string& name, const SourceOptions& options) {
    return CsvTable(text, name, options).read();
}

ScoreSource open_csv(const std::filesystem::path& file, const SourceOptions& options) {
    const MappedFile map(file);
    return read_csv(map.text(), file.filename().string(), options);
}

}  // namespace assay::store
