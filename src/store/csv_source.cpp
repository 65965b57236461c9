// Tables in csv: a full matrix, or the best entries of each image in the three ways that timm's
// inference script writes them.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "store/cells.h"
#include "store/score_source.h"
#include "store/table_builder.h"

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
            if (trimmed(columns[c]).empty()) continue;
            if (FieldAt* place = place_of(role_of(columns[c])); place != nullptr && !*place)
                *place = c;
        }
        // What pandas writes in front of a table has no name, and is an id where nothing else is.
        for (std::size_t c = 0; c < columns.size() && !id_; ++c) {
            if (trimmed(columns[c]).empty()) id_ = c;
        }
        // A matrix may have a column named `index`, too; entries need a score beside it.
        series(index_series_, Role::index);
        series(label_series_, Role::label);
        series(score_series_, Role::score);
        const std::vector<std::vector<std::string>> rows = first_rows(text, name, 3);
        pass_over_row_numbers(rows, options.classes);
        settle(rows.empty() ? std::vector<std::string>() : rows.front(), options.classes);
    }

    ScoreSource read() {
        ScoreSource source = read_rows();
        if (!source.truth.size()) truth_.reset();
        if (truth_) source.truth_name = reader_.columns()[*truth_];
        source.notes.insert(source.notes.begin(), notes_.begin(), notes_.end());
        for (std::size_t c = 0; c < reader_.columns().size(); ++c) {
            if (!used_.contains(c) && c != id_ && c != truth_ &&
                !trimmed(reader_.columns()[c]).empty())
                source.notes.push_back(
                    fmt::format("the column `{}` is not used", shortened(reader_.columns()[c])));
        }
        return source;
    }

private:
    FieldAt* place_of(Role role) {
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

    /// The fields of the first rows below the header.
    static std::vector<std::vector<std::string>> first_rows(std::string_view text,
                                                            const std::string& name,
                                                            std::size_t count) {
        std::vector<std::vector<std::string>> rows;
        CsvReader reader(text, name, {.header = has_header(text, name)});
        while (rows.size() < count && reader.next()) {
            rows.emplace_back();
            for (std::size_t c = 0; c < reader.fields(); ++c) rows.back().emplace_back(reader[c]);
        }
        return rows;
    }

    /// A column `index` that counts the rows, beside a label that is another class: pandas' own
    /// numbers, not classes.
    void pass_over_row_numbers(const std::vector<std::vector<std::string>>& rows,
                               const ClassList& classes) {
        if (!index_ || !label_ || rows.size() < 2) return;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const auto label = classes.find(trimmed(rows[r][*label_]));
            if (trimmed(rows[r][*index_]) != std::to_string(r)) return;
            if (label && static_cast<std::size_t>(*label) == r) return;
        }
        notes_.push_back(fmt::format("the column `{}` counts the rows: it is not used as classes",
                                     reader_.columns()[*index_]));
        index_.reset();
    }

    /// What the first row says of columns whose names may mean two things.
    void settle(const std::vector<std::string>& row, const ClassList& classes) {
        const auto list = [&](FieldAt c) { return c && *c < row.size() && is_list(row[*c]); };
        // "prediction": a list of scores, or a class.
        if (!score_ && list(predicted_)) score_ = std::exchange(predicted_, std::nullopt);
        // A label beside a predicted class, or beside a row's whole list of scores, is the image's.
        const bool whole = list(score_) && !list(index_) && !list(label_) && !list(predicted_);
        if (label_ && !truth_ && (predicted_ || whole))
            truth_ = std::exchange(label_, std::nullopt);
        if (whole) index_.reset();
        for (std::size_t c = 0; c < row.size(); ++c) {
            const bool taken = c == id_ || c == index_ || c == label_ || c == truth_ ||
                               c == predicted_ || c == score_ || reader_.columns().empty() ||
                               trimmed(reader_.columns()[c]).empty();
            if (!taken) (parse_score(row[c]) ? numbers_ : words_).push_back(c);
        }
        if (score_ || !score_series_.empty()) return;
        refuse_results();
        // A text among the scores is a fault of its cell, said when the row is read.
        std::erase_if(words_, [&](std::size_t c) {
            if (!is_of_series(c) && !classes.find(trimmed(reader_.columns()[c]))) return false;
            numbers_.push_back(c);
            return true;
        });
        // Where nothing could be scores, the class is the prediction.
        if (numbers_.empty() && !predicted_) {
            predicted_ = index_ ? index_ : label_;
            if (predicted_ == index_) index_.reset();
            if (predicted_ == label_) label_.reset();
        }
        if (!id_ && words_.size() == 1) {
            id_ = words_.front();
            notes_.push_back(fmt::format("the column `{}` is used as the ids",
                                         shortened(reader_.columns()[*id_])));
            words_.clear();
        }
        const bool matrix = numbers_.size() > 1 && !predicted_;
        if (matrix && !words_.empty() && !is_of_series(numbers_.front())) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the column `{}` holds `{}`, which is no number; take it out "
                                    "if it holds no scores",
                                    shortened(reader_.columns()[words_.front()]),
                                    shortened(row[words_.front()])));
        }
    }

    /// "c7" beside other columns of numbers that are called c and a number.
    bool is_of_series(std::size_t column) const {
        const auto own = numbered(reader_.columns()[column]);
        return own && std::ranges::any_of(numbers_, [&](std::size_t c) {
                   const auto other = numbered(reader_.columns()[c]);
                   return c != column && other && other->first == own->first;
               });
    }

    /// A row a model, as timm's results-*.csv.
    void refuse_results() const {
        const auto has = [&](std::string_view name) {
            return std::ranges::find(reader_.columns(), name) != reader_.columns().end();
        };
        if (!has("model") || !has("top1")) return;
        throw Error(ErrorCode::bad_input,
                    "this is a table of results, a row per model: an import needs what one model "
                    "predicts for each image");
    }

    ScoreSource read_rows() {
        if (score_ && (index_ || label_ || predicted_)) return entries();
        if (score_) return lists_of_all();
        const auto& classes = !index_series_.empty() ? index_series_ : label_series_;
        if (!classes.empty() && !score_series_.empty()) return series_of_entries(classes);
        if (predicted_ && (numbers_.empty() || !words_.empty())) return predictions();
        if (numbers_.size() < 2 && !reader_.columns().empty()) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("no column holds scores or predicted classes; there are: {}",
                                    fmt::join(reader_.columns(), ", ")));
        }
        return matrix();
    }

    /// Before each row is added.
    void take_truth() {
        if (truth_) builder_.set_truth(std::string(reader_[*truth_]));
    }

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
        const std::size_t classes = predicted_ ? *predicted_ : index_ ? *index_ : *label_;
        used_ = {classes, *score_};
        std::vector<std::string_view> class_list;
        std::vector<std::string_view> score_list;
        while (reader_.next()) {
            in_row([&] {
                take_truth();
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
        used_.insert(classes.begin(), classes.end());
        used_.insert(score_series_.begin(), score_series_.end());
        while (reader_.next()) {
            in_row([&] {
                take_truth();
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
        used_ = {*score_};
        while (reader_.next()) {
            in_row([&] {
                take_truth();
                parse_list(reader_[*score_], list);
                row.clear();
                for (const std::string_view member : list) row.push_back(score(member));
                builder_.add_full(id(), row);
            });
        }
        return finish(*score_);
    }

    /// The predicted class alone.
    ScoreSource predictions() {
        used_ = {*predicted_};
        while (reader_.next()) {
            in_row([&] {
                take_truth();
                builder_.add_top(id(), {{builder_.class_of(reader_[*predicted_]), 1.0F}});
            });
        }
        ScoreSource source = builder_.finish();
        source.hint = ScoreKind::labels;
        source.notes.push_back(fmt::format(
            "the column `{}` holds predicted classes. Without scores only metrics of the predicted "
            "class are computed",
            shortened(reader_.columns()[*predicted_])));
        return source;
    }

    ScoreSource matrix() {
        if (!id_) id_ = index_;  // as pandas calls the rows' own numbers
        // A label beside a matrix is the image's.
        if (!truth_) truth_ = std::exchange(label_, std::nullopt);
        std::vector<std::size_t> from;  // columns of the scores
        std::vector<std::string> names;
        for (std::size_t c = 0; c < reader_.columns().size(); ++c) {
            if (c == id_ || c == index_ || c == label_ || c == truth_ || c == predicted_ ||
                std::ranges::find(words_, c) != words_.end() ||
                trimmed(reader_.columns()[c]).empty())
                continue;
            from.push_back(c);
            used_.insert(c);
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
                take_truth();
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
    FieldAt truth_;
    FieldAt predicted_;
    FieldAt score_;
    std::vector<std::size_t> numbers_, words_;  // further columns of either, by the first row
    std::vector<std::string> notes_;
    std::set<std::size_t> used_;  // for the scores
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
