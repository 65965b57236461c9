// Reads tables in csv: a full matrix, or the best entries of each image in the three forms of
// timm's inference script.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "store/blank_table.h"
#include "store/cells.h"
#include "store/csv_columns.h"
#include "store/score_columns.h"
#include "store/score_names.h"
#include "store/score_source.h"
#include "store/table_builder.h"

namespace assay::store {
namespace {

class CsvTable : private CsvColumns {
public:
    CsvTable(std::string_view text, const std::string& name, const SourceOptions& options)
        : CsvColumns(text, name, options), builder_(options) {
        const std::vector<std::vector<std::string>> rows = first_rows(3);
        // A matrix may also have a column named `index`. Entries also require a score column.
        series(index_series_, Role::index);
        series(label_series_, Role::label);
        series(score_series_, Role::score);
        pass_over_row_numbers(rows, options.classes);
        settle(rows.empty() ? std::vector<std::string>() : rows.front(), options.classes);
    }

    ScoreSource read() {
        ScoreSource source = read_rows();
        if (no_labels_) source.truth = {};
        if (!source.truth.size()) truth_.reset();
        if (truth_) source.truth_name = name_of(*truth_);
        source.notes.insert(source.notes.begin(), notes_.begin(), notes_.end());
        source.notes.push_back(what_was_taken());
        source.percent_signs = !percent_.text.empty();
        if (const std::string& text = percent_.text; source.percent_signs)
            source.notes.push_back(fmt::format("scores have percent signs: `{}` is read as {:.6g}",
                                               shortened(text), *number_in(text)));
        return source;
    }

private:
    /// True if the other columns of numbers are a row's scores for all classes.
    bool has_all_scores() {
        if (numbers_.size() < 2) return false;
        std::vector<float> confidence;
        if (score_) confidence = sample_of({*score_}, {}).values;
        return shows_all_scores(sample_of(numbers_, truth_ ? truth_ : label_), confidence);
    }

    /// Ignores a column `index` that only counts the rows while the labels name other classes. The
    /// column then contains pandas' row numbers, not classes.
    void pass_over_row_numbers(const std::vector<std::vector<std::string>>& rows,
                               const ClassList& classes) {
        if (!index_ || !label_ || rows.size() < 2) return;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const auto label = classes.find(trimmed(rows[r][*label_]));
            if (trimmed(rows[r][*index_]) != std::to_string(r)) return;
            if (label && static_cast<std::size_t>(*label) == r) return;
        }
        notes_.push_back(
            fmt::format("the column `{}` counts the rows, so it is not used as classes",
                        reader_.columns()[*index_]));
        index_.reset();
    }

    /// Decides from the first row about columns whose names are ambiguous.
    void settle(const std::vector<std::string>& row, const ClassList& classes) {
        const auto list = [&](FieldAt c) { return c && *c < row.size() && is_list(row[*c]); };
        // "prediction" may be a list of scores or a class.
        if (!score_ && list(predicted_)) score_ = std::exchange(predicted_, std::nullopt);
        // If there is also a predicted class or a list of all scores, a label is the image's true
        // label.
        const bool whole = list(score_) && !list(index_) && !list(label_) && !list(predicted_);
        if (label_ && !truth_ && (predicted_ || whole))
            truth_ = std::exchange(label_, std::nullopt);
        if (whole) index_.reset();
        for (std::size_t c = 0; c < row.size(); ++c) {
            const bool taken = c == id_ || c == index_ || c == label_ || c == truth_ ||
                               c == predicted_ || c == score_ || ignored_.contains(c) ||
                               trimmed(name_of(c)).empty();
            if (!taken) (number_in(row[c]) ? numbers_ : words_).push_back(c);
        }
        has_lists_ = list(score_);
        // A single score next to the scores of all classes repeats the highest score.
        const bool one_score = score_ && !list(score_);
        const bool all_scores = (one_score || (predicted_ && !words_.empty())) && has_all_scores();
        if (one_score && all_scores) score_.reset();
        if (score_ || !score_series_.empty()) return;
        refuse_results();
        // A text among the scores is an error in its cell, which is reported when the row is read.
        std::erase_if(words_, [&](std::size_t c) {
            if (!is_of_series(c) && !classes.find(trimmed(reader_.columns()[c]))) return false;
            numbers_.push_back(c);
            return true;
        });
        // If no column can contain scores, the column of classes contains the predictions.
        if (numbers_.empty() && !predicted_) {
            predicted_ = index_ ? index_ : label_;
            if (predicted_) refuse_labels_alone();
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
        if (matrix && !words_.empty() && !is_of_series(numbers_.front()) && !is_told()) {
            const std::string column = name_of(words_.front());
            throw Error(ErrorCode::bad_input,
                        fmt::format("the column `{}` holds `{}`, which is not a number; if it "
                                    "holds no scores, pass --ignore-columns '{}'",
                                    shortened(column), shortened(row[words_.front()]), column));
        }
        // Scores of all classes replace a predicted class, because they contain more information.
        // Other numbers do not.
        if (all_scores) predicted_.reset();
        if (predicted_ && numbers_.size() > 1 && words_.empty() &&
            options_.columns.scores.empty() && !has_all_scores() &&
            has_doubtful_columns(sample_of(numbers_, truth_)))
            numbers_.clear();
    }

    /// Refuses a column of classes without scores if its name is also common for images' labels.
    void refuse_labels_alone() const {
        const std::string column = name_of(*predicted_);
        throw Error(ErrorCode::usage,
                    fmt::format("the column `{}` may hold the predicted classes or the images' "
                                "labels. If they are the predicted classes, pass --score-columns "
                                "{}. If they are labels, the file holds no predictions",
                                shortened(column), shell_word(column)));
    }

    /// True if the user or a prefix names the score columns.
    bool is_told() const {
        return !options_.columns.scores.empty() || has_prefix_group(names_of(numbers_));
    }

    /// True for a column such as "c7" if another column of numbers has the name c and a number.
    bool is_of_series(std::size_t column) const {
        const auto own = numbered(reader_.columns()[column]);
        return own && std::ranges::any_of(numbers_, [&](std::size_t c) {
                   const auto other = numbered(reader_.columns()[c]);
                   return c != column && other && other->first == own->first;
               });
    }

    /// Refuses a table with one row per model, such as timm's results-*.csv.
    void refuse_results() const {
        const auto has = [&](std::string_view name) {
            return std::ranges::find(reader_.columns(), name) != reader_.columns().end();
        };
        if (!has("model") || !has("top1")) return;
        throw Error(ErrorCode::bad_input,
                    "this is a table of results with one row per model, but an import needs one "
                    "model's prediction for each image");
    }

    ScoreSource read_rows() {
        if (score_ && (index_ || label_ || predicted_)) return entries();
        if (score_) return has_lists_ ? lists_of_all() : one_column();
        const auto& classes = !index_series_.empty() ? index_series_ : label_series_;
        if (!classes.empty() && !score_series_.empty()) return series_of_entries(classes);
        if (predicted_ && (numbers_.size() < 2 || !words_.empty())) return predictions();
        if (numbers_.size() < 2 && has_header_ && options_.columns.scores.empty()) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("no column holds scores or predicted classes; the columns are: {}{}",
                            fmt::join(reader_.columns(), ", "), advice_for_one()));
        }
        return matrix();
    }

    /// Called before each row is added.
    void take_truth() {
        if (truth_) builder_.set_truth(std::string(reader_[*truth_]));
    }

    /// Columns NAME_0, NAME_1, ... if NAME has the role, in the order of their numbers.
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
    float score(std::size_t column, std::string_view cell) {
        const std::optional<float> value = number_in(cell);
        if (!value) throw reader_.error(fmt::format("`{}` is not a number", shortened(cell)));
        FirstScore& first = has_percent_sign(cell) ? percent_ : plain_;
        // 0 and empty cells mean the same with a sign.
        if (first.text.empty() && *value != 0 && !std::isnan(*value)) {
            first = {std::string(trimmed(cell)), column};
            if (!percent_.text.empty() && !plain_.text.empty()) refuse_some_signs(column, cell);
        }
        return *value;
    }
    float score(std::size_t column) { return score(column, reader_[column]); }
    /// Without a sign, 12.5 may be 12.5 % or a probability that is wrong.
    [[noreturn]] void refuse_some_signs(std::size_t column, std::string_view cell) const {
        const bool has = has_percent_sign(cell);
        const FirstScore& other = has ? plain_ : percent_;
        throw reader_.error(fmt::format(
            "the score `{}` in the column `{}` has {} percent sign, but `{}` in the "
            "column `{}` has {}: write all scores with a percent sign, or none",
            shortened(cell), shortened(name_of(column)), has ? "a" : "no", shortened(other.text),
            shortened(name_of(other.column)), has ? "none" : "one"));
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
        source.hint = kind_from_name(name_of(score_column));
        return source;
    }

    /// With two classes, a label next to one score is ambiguous. It may be the predicted class with
    /// its score, or the image's label with the score of class 1. The predicted class has a
    /// probability of at least 0.5, so a lower score excludes the first interpretation.
    void refuse_label_of_image() const {
        if (!label_ || index_ || predicted_ || has_lists_) return;
        const std::vector<std::vector<std::string>> rows = first_rows(2);
        if (id_ && rows.size() == 2 && rows[0][*id_] == rows[1][*id_]) return;  // one row per class
        const auto classes =
            options_.class_count != 0 ? options_.class_count : options_.classes.size();
        const ColumnSample sample = sample_of({*score_}, label_);
        using Numbers = std::set<std::optional<std::int64_t>>;
        Numbers numbers;
        for (const std::string& label : sample.labels) numbers.insert(class_number(label));
        const Numbers of_two{-1, 0, 1};
        const bool two = std::ranges::includes(of_two, numbers);
        const bool signs = numbers == Numbers{-1, 1};  // no predicted class is -1
        const bool logs = kind_from_name(name_of(*score_)) == ScoreKind::log_probabilities;
        const bool low = std::ranges::any_of(sample.values, [logs](float score) {
            return logs ? score < -0.7F : score >= 0 && score < 0.5F;  // log 0.5 is -0.693
        });
        if ((classes != 0 || !two) && (classes != 2 || !low) && !signs) return;
        throw Error(
            ErrorCode::usage,
            fmt::format("the columns `{0}` and `{1}` may be the image's label with the score of "
                        "class 1 of two: pass --label-column {2}{3}. {4}",
                        shortened(name_of(*label_)), shortened(name_of(*score_)),
                        shell_word(name_of(*label_)), signs ? " --minus-one class" : "",
                        signs ? "The labels are -1 and 1, and no predicted class is -1"
                        : low
                            ? "A predicted class of two with its probability is never below 0.5, "
                              "and some are"
                            : "If they are the predicted class and its score, pass --class-count"));
    }

    ScoreSource entries() {
        refuse_label_of_image();
        if (!id_)
            throw Error(ErrorCode::bad_input,
                        "a table of entries needs a column filename, id, path or image");
        const std::size_t classes = predicted_ ? *predicted_ : index_ ? *index_ : *label_;
        class_columns_ = {classes};
        score_columns_ = {*score_};
        std::vector<std::string_view> class_list;
        std::vector<std::string_view> score_list;
        while (reader_.next()) {
            in_row([&] {
                take_truth();
                if (!is_list(reader_[*score_])) {
                    builder_.add_entry(reader_[*id_],
                                       {builder_.class_of(reader_[classes]), score(*score_)});
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
                    row.push_back(
                        {builder_.class_of(class_list[i]), score(*score_, score_list[i])});
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
        class_columns_ = classes;
        score_columns_ = score_series_;
        while (reader_.next()) {
            in_row([&] {
                take_truth();
                std::vector<TopEntry> row;
                for (std::size_t i = 0; i < classes.size(); ++i) {
                    row.push_back(
                        {builder_.class_of(reader_[classes[i]]), score(score_series_[i])});
                }
                builder_.add_top(id(), std::move(row));
            });
        }
        return finish(score_series_.front());
    }

    /// Reads one column whose cells are lists of all scores.
    ScoreSource lists_of_all() {
        std::vector<std::string_view> list;
        std::vector<float> row;
        score_columns_ = {*score_};
        while (reader_.next()) {
            in_row([&] {
                take_truth();
                parse_list(reader_[*score_], list);
                row.clear();
                for (const std::string_view member : list) row.push_back(score(*score_, member));
                builder_.add_full(id(), row);
            });
        }
        return finish(*score_);
    }

    /// Reads one score per row.
    ScoreSource one_column() {
        numbers_ = {*score_};
        ScoreSource source = matrix();
        source.hint = kind_from_name(name_of(*score_));
        return source;
    }

    /// Advice for a table with one more column of numbers, which may contain the scores.
    std::string advice_for_one() const {
        if (numbers_.empty()) return "";
        const std::string column = name_of(numbers_.front());
        return fmt::format(
            "; if `{}` holds one score per image, of class 1 of two, pass "
            "--score-columns {}",
            shortened(column), shell_word(column));
    }

    /// Reads only the predicted class.
    ScoreSource predictions() {
        class_columns_ = {*predicted_};
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
            shortened(name_of(*predicted_))));
        return source;
    }

    ScoreSource matrix() {
        if (!id_) id_ = index_;  // pandas' name for its row numbers
        // If there are also scores of all classes, a label is the image's true label.
        if (!truth_) truth_ = std::exchange(label_, std::nullopt);
        const KnownClasses known{options_.classes, options_.classes_told, options_.class_count};
        ScoreColumns columns =
            choose_score_columns(sample_of(numbers_, truth_), options_.columns, known);
        for (const std::size_t i : columns.taken) score_columns_.push_back(numbers_[i]);
        const std::vector<std::size_t>& place = columns.place;
        std::vector<float> row(score_columns_.size());
        while (reader_.next()) {
            in_row([&] {
                take_truth();
                if (!has_header_ && reader_.fields() != width_) {
                    throw reader_.error(fmt::format("{} fields, but the first row has {}",
                                                    reader_.fields(), width_));
                }
                for (std::size_t i = 0; i < score_columns_.size(); ++i)
                    row[place.empty() ? i : place[i]] = score(score_columns_[i]);
                builder_.add_full(id(), row);
            });
        }
        ScoreSource source = builder_.finish();
        if (!columns.said.empty()) source.notes.push_back(std::move(columns.said));
        if (!columns.classes.empty()) source.columns = ClassList(std::move(columns.classes));
        source.hint = kind_from_name(columns.kind_name);
        for (std::size_t i = 0; i < columns.taken.size() && !options_.columns.scores.empty(); ++i)
            source.reading += name_of(score_columns_[i]) + '\n';
        return source;
    }

    TableBuilder builder_;
    struct FirstScore {
        std::string text;  ///< "" if there is none
        std::size_t column = 0;
    } percent_, plain_;       ///< the first score with a percent sign and without, unless it is 0
    bool has_lists_ = false;  ///< true if a cell of scores is a list
    // The columns without a role: numbers or texts, as in the first row.
    std::vector<std::size_t> numbers_, words_;
    std::vector<std::string> notes_;
    std::vector<std::size_t> index_series_, label_series_, score_series_;
};

}  // namespace

ScoreSource read_csv(std::string_view text, const std::string& name, const SourceOptions& options) {
    const std::string with_commas = csv_of_blank_table(text);
    if (with_commas.empty()) return CsvTable(text, name, options).read();
    ScoreSource source = CsvTable(with_commas, name, options).read();
    source.notes.emplace_back("assuming that blanks separate the columns");
    return source;
}

ScoreSource open_csv(const std::filesystem::path& file, const SourceOptions& options) {
    const MappedFile map(file);
    return read_csv(map.text(), file.filename().string(), options);
}

}  // namespace assay::store
