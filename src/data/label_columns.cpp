#include "data/label_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "assay/error.h"
#include "core/text.h"
#include "data/column_words.h"
#include "data/folder_classes.h"
#include "data/label_indicators.h"

namespace assay {
namespace {

using Columns = std::vector<std::size_t>;
using Form = LabelColumns::Form;

bool is_number(std::string_view cell) {
    std::uint64_t ignored = 0;
    return parse_number(whole_number(cell), ignored);
}

/// True if the values of an unknown column look like counts. Classes may be numbers too.
bool is_count(std::string_view cell) {
    return cell.empty() || is_number(cell) || whole_number(cell) == "-1";
}

/// "0.25" is a measured number and no class.
bool is_fraction(std::string_view cell) {
    return !is_number(cell) && whole_number(cell) != "-1" && !cell.empty() &&
           cell.find_first_not_of("+-0123456789.eE") == std::string_view::npos &&
           cell.find_first_of("0123456789") != std::string_view::npos;
}

bool is_split(std::string_view cell) {
    constexpr std::array<std::string_view, 9> names = {
        "train", "training", "val", "valid", "validation", "dev", "test", "testing", "trainval"};
    const std::string key = column_key(cell);
    return std::ranges::find(names, key) != names.end();
}

class ColumnFinder {
public:
    ColumnFinder(const TableSample& table, const ColumnChoice& choice)
        : table_(table), choice_(choice) {
        for (const std::string& name : table.names) {
            words_.push_back(table.header ? column_meaning(name) : ColumnMeaning{});
            ++columns_of_key_[column_key(name)];
        }
        if (!table.header) read_words_of_cells();
    }

    LabelColumns find() {
        find_image();
        if (choice_.label_column == "none" && !is_there("none")) {
            // The user has disabled labels.
        } else if (!choice_.label_column.empty()) {
            take_label(asked_for(choice_.label_column, "--label-column"));
        } else {
            find_label();
        }
        for (std::size_t c = 0; c < table_.names.size(); ++c) {
            if (is_used(c)) continue;
            const bool number = words_[c].word == ColumnWord::row_number;
            (number || !table_.header ? found_.unused : found_.others).push_back(c);
        }
        return found_;
    }

private:
    const std::string& name(std::size_t c) const { return table_.names[c]; }
    std::string quoted(std::size_t c) const {
        return table_.header ? fmt::format("`{}`", shortened(name(c))) : "column " + name(c);
    }
    bool every_cell(std::size_t c, const std::function<bool(std::string_view)>& holds) const {
        return !table_.rows.empty() && std::ranges::all_of(table_.rows, [&](const auto& row) {
            return holds(trimmed(row[c]));
        });
    }
    bool is_used(std::size_t c) const {
        return c == found_.image || c == found_.id || c == found_.label || is_flag_.contains(c);
    }
    bool is_there(std::string_view wanted) const {
        return std::ranges::any_of(
            table_.names, [&](const auto& n) { return column_key(n) == column_key(wanted); });
    }
    bool counts_rows(std::size_t c) const {
        for (std::size_t r = 0; r < table_.rows.size(); ++r) {
            const std::string_view cell = trimmed(table_.rows[r][c]);
            if (cell != std::to_string(r) && cell != std::to_string(r + 1)) return false;
        }
        return true;
    }
    const ClassList* named_classes() const {
        const bool named = choice_.classes != nullptr && !choice_.classes->empty() &&
                           !only_numbers(*choice_.classes);
        return named ? choice_.classes : nullptr;
    }
    bool is_known(std::size_t c) const {
        return every_cell(c, [&](std::string_view cell) {
            return cell.empty() || cell == "-1" || named_classes()->find(whole_number(cell));
        });
    }

    /// Reads the meaning from the cells if there is no header.
    void read_words_of_cells() {
        for (std::size_t c = 0; c < table_.names.size(); ++c) {
            if (every_cell(c, names_an_image)) words_[c] = {ColumnWord::image, 0};
            if (every_cell(c, is_split)) words_[c] = {ColumnWord::split, 0};
            if (c == 0 && table_.rows.size() > 1 && counts_rows(c))
                words_[c] = {ColumnWord::row_number, 0};
        }
        const Columns boxes =
            columns_where([&](std::size_t c) { return c + 3 < words_.size() && is_box(c); });
        if (boxes.size() != 1) return;
        for (std::size_t side = boxes[0]; side < boxes[0] + 4; ++side)
            words_[side] = {ColumnWord::geometry, 0};
    }
    /// True if the four columns from `first` on are boxes. Then one column of labels, the image,
    /// perhaps a split, and one more must remain.
    bool is_box(std::size_t first) const {
        std::size_t left = 0;
        bool label_is_text = false;
        for (std::size_t c = 0; c < table_.names.size(); ++c) {
            const bool side = c >= first && c < first + 4;
            if (side && !every_cell(c, is_number)) return false;
            if (side || words_[c].word != ColumnWord::other) continue;
            if (++left > 1) return false;
            label_is_text = !every_cell(c, is_number);
        }
        if (left != 1) return false;
        const auto at = [&](const auto& row, std::size_t side) {
            std::uint64_t value = 0;
            parse_number(whole_number(trimmed(row[first + side])), value);
            return value;
        };
        bool repeats = false;
        for (const auto& row : table_.rows) {
            if (!label_is_text && (at(row, 0) >= at(row, 2) || at(row, 1) >= at(row, 3)))
                return false;
            const std::set<std::uint64_t> different = {at(row, 0), at(row, 1), at(row, 2),
                                                       at(row, 3)};
            // An image does not have a label twice, and no class number exceeds the last class.
            repeats = repeats || different.size() < 4 ||
                      (choice_.classes != nullptr && !choice_.classes->empty() &&
                       *different.rbegin() >= choice_.classes->size());
        }
        return label_is_text || repeats;
    }

    /// The columns with a meaning, the clearest name first. Throws bad_input if two have the same
    /// name.
    Columns of_word(ColumnWord word) const {
        Columns columns;
        for (std::size_t c = 0; c < words_.size(); ++c) {
            if (words_[c].word == word) columns.push_back(c);
        }
        std::ranges::stable_sort(columns, {}, [&](std::size_t c) { return words_[c].rank; });
        return columns;
    }
    void refuse_namesake(std::size_t c) const {
        if (!table_.header || columns_of_key_.at(column_key(name(c))) == 1) return;
        throw UnclearColumns(
            ErrorCode::bad_input,
            fmt::format("{}: two columns are named {}; omit one of them", table_.source, name(c)));
    }
    std::size_t asked_for(const std::string& wanted, std::string_view option) const {
        std::optional<std::size_t> found;
        for (std::size_t c = 0; c < table_.names.size(); ++c) {
            if (column_key(name(c)) != column_key(wanted)) continue;
            refuse_namesake(c);
            found = c;
        }
        if (found) return *found;
        throw Error(ErrorCode::usage,
                    fmt::format("{} has no column `{}` ({}{})", table_.source, shortened(wanted),
                                option, suggest(wanted, table_.names)));
    }
    std::string all_names() const {
        return list_of(columns_where([](std::size_t) { return true; }));
    }
    template <class Holds>
    Columns columns_where(Holds&& holds) const {
        Columns columns;
        for (std::size_t c = 0; c < table_.names.size(); ++c) {
            if (holds(c)) columns.push_back(c);
        }
        return columns;
    }
    std::string list_of(const Columns& columns) const {
        constexpr std::size_t most = 12;
        std::vector<std::string> shown;
        for (std::size_t i = 0; i < std::min(most, columns.size()); ++i)
            shown.push_back(shortened(name(columns[i])));
        return fmt::format("{}{}", fmt::join(shown, ", "), columns.size() > most ? ", ..." : "");
    }

    void find_image() {
        if (!choice_.image_column.empty()) {
            found_.image = asked_for(choice_.image_column, "--image-column");
            return;
        }
        const Columns images = of_word(ColumnWord::image), ids = of_word(ColumnWord::id);
        if (!images.empty()) {
            if (!table_.header && images.size() > 1) ask_for_image(images);
            refuse_namesake(images.front());
            found_.image = images.front();
        }
        const bool called_id = !ids.empty() && column_key(name(ids.front())) == "id";
        // If the id is the only candidate, it is the image. An id that is a number needs a column
        // name that says so.
        if (called_id || (!ids.empty() && !found_.image && !every_cell(ids.front(), is_number))) {
            refuse_namesake(ids.front());
            (found_.image ? found_.id : found_.image) = ids.front();
        }
        if (found_.image) return;
        const Columns files =
            columns_where([&](std::size_t c) { return every_cell(c, names_an_image); });
        if (files.size() > 1) ask_for_image(files);
        if (files.size() == 1) found_.image = files.front();
        // pandas writes its index without a name, and it may contain the names of the images.
        const Columns indices = of_word(ColumnWord::row_number);
        if (!found_.image && table_.header && indices.size() == 1 && !counts_rows(indices.front()))
            found_.image = indices.front();
    }
    [[noreturn]] void ask_for_image(const Columns& images) const {
        throw UnclearColumns(
            ErrorCode::bad_input,
            fmt::format("{}: several columns name images ({}): {}", table_.source, list_of(images),
                        choice_.options ? "give one of them, --image-column NAME"
                                        : "name the right one `path`"));
    }

    void take_label(std::size_t c) {
        if (c == found_.image || c == found_.id) {
            throw Error(ErrorCode::usage,
                        fmt::format("{}: {} names the images, so it cannot be the labels",
                                    table_.source, quoted(c)));
        }
        refuse_namesake(c);
        found_.label = c;
        found_.form = words_[c].word == ColumnWord::boxes    ? Form::boxes
                      : words_[c].word == ColumnWord::labels ? Form::several
                                                             : Form::single;
    }

    void find_label() {
        for (const ColumnWord word : {ColumnWord::boxes, ColumnWord::labels}) {
            Columns columns = of_word(word);
            // a column "tags" may describe items in many ways
            std::erase_if(columns, [&](std::size_t c) {
                return !choice_.ask && column_key(name(c)) == "tags";
            });
            if (!columns.empty()) return take_label(columns.front());
        }
        Columns labels = of_word(ColumnWord::label);
        // In a table with a column per class, "target" may be the name of a class.
        std::erase_if(labels, [&](std::size_t c) {
            return is_used(c) || (named_classes() != nullptr && column_key(name(c)) != "label" &&
                                  named_classes()->find(trimmed(name(c))));
        });
        const bool usual = !labels.empty() && column_key(name(labels.front())) == "label";
        if (!choice_.ask && !usual) {
            // "class" may be an attribute in such a table. It is the label if its cells are
            // classes.
            std::erase_if(labels, [&](std::size_t c) {
                return choice_.classes == nullptr || !every_cell(c, [&](std::string_view cell) {
                           return cell.empty() || cell == "-1" ||
                                  choice_.classes->find(whole_number(cell));
                       });
            });
            if (labels.size() > 1) return;
        }
        if (!labels.empty()) {
            return take_label(usual ? labels.front() : the_one_of(labels));
        }
        if (find_flags()) return;
        guess_label();
    }

    /// True if two columns express the same labels in different words, as far as the sample shows.
    bool same_labels(std::size_t one, std::size_t other) const {
        std::map<std::string_view, std::string_view> there, back;
        for (const auto& row : table_.rows) {
            if (there.emplace(row[one], row[other]).first->second != row[other] ||
                back.emplace(row[other], row[one]).first->second != row[one])
                return false;
        }
        return true;
    }
    /// True if the rows show that columns with unknown names agree: both name the same class, or
    /// repeated values match. A single row, or different values in every row, show nothing.
    bool show_one_label(std::size_t one, std::size_t other) const {
        if (named_classes() != nullptr) {
            return std::ranges::all_of(table_.rows, [&](const auto& row) {
                return named_classes()->find(whole_number(trimmed(row[one]))) ==
                       named_classes()->find(whole_number(trimmed(row[other])));
            });
        }
        std::set<std::string_view> different;
        for (const auto& row : table_.rows) different.insert(row[one]);
        return different.size() > 1 && different.size() < table_.rows.size();
    }
    /// Chooses one of several columns that may contain the labels. Throws bad_input if that is
    /// ambiguous.
    std::size_t the_one_of(const Columns& candidates) const {
        if (candidates.size() == 1) return candidates.front();
        for (const std::size_t c : candidates) refuse_namesake(c);
        if (named_classes() != nullptr) {
            Columns known;
            std::ranges::copy_if(candidates, std::back_inserter(known),
                                 [&](std::size_t c) { return is_known(c); });
            if (known.size() == 1) return known.front();
        }
        const bool same = std::ranges::all_of(
            candidates, [&](std::size_t c) { return same_labels(candidates.front(), c); });
        if (!same || !table_.header) ask_for_label(candidates);
        // If there is a number and a name, the number identifies the class too.
        const auto number = std::ranges::find_if(
            candidates, [&](std::size_t c) { return every_cell(c, is_number); });
        return number == candidates.end() ? candidates.front() : *number;
    }
    [[noreturn]] void ask_for_label(const Columns& candidates) const {
        throw UnclearColumns(
            ErrorCode::bad_input,
            fmt::format(
                "{}: {} ({}){}", table_.source,
                candidates.empty() ? "no column has a known name for labels"
                                   : "several columns may hold the labels",
                candidates.empty() ? "columns: " + all_names() : list_of(candidates),
                choice_.options
                    ? fmt::format(
                          ": name one of them with --label-column {}, or pass --label-column none",
                          table_.header ? "NAME" : "NUMBER")
                    : ": name the right one `label`"));
    }

    /// Finds a column per class.
    bool find_flags() {
        static const ClassList none;
        found_.flags = class_columns(table_, found_.image,
                                     choice_.classes == nullptr ? none : *choice_.classes);
        // Attributes may have the names of classes, so the cells must be flags.
        if (!choice_.ask && !hold_flags()) found_.flags.clear();
        for (const LabelColumns::Flag& flag : found_.flags) is_flag_.insert(flag.column);
        const Columns rest = columns_where(
            [&](std::size_t c) { return !is_used(c) && words_[c].word == ColumnWord::other; });
        if (found_.flags.size() < 2) {
            found_.flags.clear();
            is_flag_.clear();
            if (!choice_.ask || rest.size() < 2 || !is_one_hot(rest)) return false;
            is_flag_.insert(rest.begin(), rest.end());
            for (std::size_t i = 0; i < rest.size(); ++i)
                found_.flags.push_back({rest[i], table_.header ? std::string(trimmed(name(rest[i])))
                                                               : std::to_string(i)});
        }
        found_.form = Form::flags;
        found_.signs = std::ranges::any_of(table_.rows, [&](const auto& row) {
            return std::ranges::any_of(
                found_.flags, [&](const auto& flag) { return trimmed(row[flag.column]) == "-1"; });
        });
        return true;
    }
    bool hold_flags() const {
        return std::ranges::all_of(found_.flags, [&](const auto& flag) {
            return every_cell(flag.column,
                              [](std::string_view cell) { return flag_value(cell).has_value(); });
        });
    }
    bool is_one_hot(const Columns& columns) const {
        return !table_.rows.empty() && std::ranges::all_of(table_.rows, [&](const auto& row) {
            std::size_t set = 0;
            for (const std::size_t c : columns) {
                const std::optional<bool> value = flag_value(trimmed(row[c]));
                if (!value) return false;
                set += *value ? 1 : 0;
            }
            return set == 1;
        });
    }

    /// True if the cells may be classes: no measured numbers, and not a different value in each
    /// row.
    bool may_be_labels(std::size_t c) const {
        constexpr std::size_t few_rows = 8;
        std::set<std::string_view> different;
        for (const auto& row : table_.rows) {
            if (is_fraction(trimmed(row[c]))) return false;
            different.insert(row[c]);
        }
        return table_.rows.size() < few_rows || different.size() < table_.rows.size();
    }
    void guess_label() {
        const Columns rest = columns_where(
            [&](std::size_t c) { return !is_used(c) && words_[c].word == ColumnWord::other; });
        Columns candidates;
        std::ranges::copy_if(rest, std::back_inserter(candidates), [&](std::size_t c) {
            return named_classes() != nullptr ? is_known(c) : may_be_labels(c);
        });
        if (candidates.empty() && rest.size() == 1 && may_be_labels(rest.front()))
            candidates = rest;  // its labels may be misspelled, and the error is about the first
                                // candidate
        const bool clear = named_classes() != nullptr || candidates == rest;
        if (!choice_.ask) {
            if (named_classes() != nullptr && candidates.size() == 1 && is_known(candidates[0]) &&
                !every_cell(candidates[0], is_count))
                take_label(candidates.front());
            return;
        }
        if (!candidates.empty() && (candidates.size() == 1 || clear)) {
            for (const std::size_t c : candidates) refuse_namesake(c);
            const bool shown = std::ranges::all_of(candidates, [&](std::size_t c) {
                return c == candidates.front() || show_one_label(candidates.front(), c);
            });
            if (!shown) ask_for_label(candidates);
            return take_label(the_one_of(candidates));
        }
        const bool nothing_left =
            rest.empty() && std::ranges::none_of(words_, [](const ColumnMeaning& meaning) {
                return meaning.word == ColumnWord::geometry ||
                       meaning.word == ColumnWord::predicted;
            });
        if (!nothing_left && (found_.image || !rest.empty()))
            ask_for_label(candidates.empty() ? Columns() : rest);
    }

    const TableSample& table_;
    const ColumnChoice& choice_;
    std::vector<ColumnMeaning> words_;
    std::map<std::string, std::size_t> columns_of_key_;
    std::set<std::size_t> is_flag_;
    LabelColumns found_;
};

}  // namespace

LabelColumns label_columns(const TableSample& table, const ColumnChoice& choice) {
    return ColumnFinder(table, choice).find();
}

}  // namespace assay
