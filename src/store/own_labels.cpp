#include "store/own_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

#include "assay/error.h"
#include "core/text.h"
#include "data/label_list.h"
#include "store/cells.h"

namespace assay::store {
namespace {

/// Finds the class for each text in the column of labels.
class OwnLabels {
public:
    OwnLabels(const ScoreSource& source, const ClassList& classes, bool columns_order_classes)
        : source_(source),
          classes_(classes),
          order_unclear_(columns_order_classes && !are_sorted(classes.ids())) {}

    /// True if the text is -1 and no class has that id.
    bool is_minus_one(std::string_view text) const {
        return class_number(text) == -1 && !classes_.find(text);
    }

    /// Throws usage for a text that is not a class.
    std::int32_t class_of(std::string_view text, std::size_t row) const {
        const auto number = class_number(text);
        auto found = classes_.find(text);
        if (!found && number) found = classes_.find(fmt::format("{}", *number));  // "3.0"
        if (found && number && order_unclear_ &&
            is_place(static_cast<std::size_t>(*found), *number))
            refuse_numbers_of_columns(fmt::format("`{}`", shortened(source_.truth_name)),
                                      fmt::format(" (`{}` in row {})", shortened(text), row),
                                      classes_);
        if (found) return *found;
        refuse(text, row);
    }

private:
    /// True if the number is only the position of the class's column, and not its id or name.
    bool is_place(std::size_t c, std::int64_t number) const {
        const std::string text = fmt::format("{}", number);
        return classes_.id(c) != text && classes_.name(c) != text;
    }

    [[noreturn]] void refuse(std::string_view text, std::size_t row) const {
        const std::size_t classes = classes_.size();
        const bool table = !source_.columns.empty();
        const bool after_last = class_number(text) == static_cast<std::int64_t>(classes_.size());
        std::string remedy;
        if (class_number(text) == 0 && have_numbers_from_one(classes_) && labels_count_from_zero())
            remedy = fmt::format(
                "If the labels count from 0 and the columns from 1, run `seq 0 {} > classes.txt` "
                "and add --classes classes.txt. ",
                classes - 1);
        else if (after_last && !table)
            remedy = fmt::format(
                "If the labels count from 1, pass --classes with a file of the lines 1 to {}. ",
                classes_.size());
        else if (table)
            remedy = "If its column of scores is missing, write the table again with it. ";
        throw Error(ErrorCode::usage,
                    fmt::format("the label `{}` in `{}` of row {} is none of the {} classes: {}. "
                                "{}To import the scores without labels, pass --label-column none",
                                shortened(text), shortened(source_.truth_name), row,
                                count_text(classes_.size()), shortened_list(), remedy));
    }

    bool labels_count_from_zero() const {
        for (std::size_t row = 0; row < source_.truth.size(); ++row) {
            const std::string_view text = trimmed(source_.truth[row]);
            const auto number = class_number(text);
            if (!text.empty() &&
                (!number || *number < -1 || *number >= static_cast<std::int64_t>(classes_.size())))
                return false;
        }
        return true;
    }

    std::string shortened_list() const {
        constexpr std::size_t most = 5;
        std::string text;
        for (std::size_t c = 0; c < std::min(classes_.size(), most); ++c)
            text += (text.empty() ? "" : ", ") + shortened(classes_.id(c));
        return text + (classes_.size() > most ? ", ..." : "");
    }

    const ScoreSource& source_;
    const ClassList& classes_;
    bool order_unclear_;  ///< columns are named, but labels are numbers
};

}  // namespace

bool are_sorted(const std::vector<std::string>& names) {
    const auto folded = [](const std::string& a, const std::string& b) {
        return std::ranges::lexicographical_compare(a, b, {}, lower, lower);
    };
    return std::ranges::is_sorted(names) || std::ranges::is_sorted(names, folded);
}

[[noreturn]] void refuse_numbers_of_columns(const std::string& where, const std::string& first,
                                            const ClassList& classes) {
    throw Error(
        ErrorCode::usage,
        fmt::format("the labels in {} are numbers{}. The columns of scores are not sorted by name: "
                    "class 0 may be the first column, `{}`, or the first name, `{}`. Write the "
                    "classes to a file, one per line, in the order of the numbers, and pass "
                    "--classes FILE",
                    where, first, shortened(classes.id(0)),
                    shortened(*std::ranges::min_element(classes.ids()))));
}

[[noreturn]] void ask_what_minus_one_is(const std::string& where, std::uint64_t count,
                                        std::uint64_t rows, const ClassList& classes) {
    throw Error(ErrorCode::usage,
                fmt::format("the labels in {} are -1 ({} of {} rows) and 1, of 2 classes. Pass "
                            "--minus-one class if -1 is the class `{}` and 1 the class `{}`. Pass "
                            "--minus-one unlabelled if -1 means no label",
                            where, count_text(count), count_text(rows), shortened(classes.id(0)),
                            shortened(classes.id(1))));
}

[[noreturn]] void refuse_minus_one_class(const std::string& where, const ClassList& classes) {
    throw Error(ErrorCode::usage,
                fmt::format("--minus-one class is for labels -1 and 1 of 2 classes; those in {} "
                            "are others, or there are {} classes",
                            where, count_text(classes.size())));
}

void note_minus_one_class(const std::string& where, const ClassList& classes,
                          std::vector<std::string>& notes) {
    notes.push_back(fmt::format("the label -1 in {} is the class `{}`, and 1 the class `{}`", where,
                                shortened(classes.id(0)), shortened(classes.id(1))));
}

LabelSets own_labels(const ScoreSource& source, std::optional<MinusOne> minus_one,
                     const ClassList& classes, bool columns_order_classes,
                     std::vector<std::string>& notes) {
    const std::string where = fmt::format("`{}`", source.truth_name);
    const OwnLabels own(source, classes, columns_order_classes);
    std::uint64_t minus_ones = 0, ones = 0, others = 0;
    for (std::size_t row = 0; row < source.truth.size(); ++row) {
        const std::string_view text = trimmed(source.truth[row]);
        minus_ones += own.is_minus_one(text) ? 1U : 0U;
        ones += class_number(text) == 1 ? 1U : 0U;
        others += text.empty() ? 0U : 1U;
    }
    others -= minus_ones + ones;
    const bool signs = classes.size() == 2 && minus_ones > 0 && ones > 0 && others == 0;
    if (signs && !minus_one) ask_what_minus_one_is(where, minus_ones, source.truth.size(), classes);
    const bool is_class = minus_one == MinusOne::first_class;
    if (is_class && !signs) refuse_minus_one_class(where, classes);
    LabelSets labels;
    for (std::size_t row = 0; row < source.truth.size(); ++row) {
        const std::string_view text = trimmed(source.truth[row]);
        if (text.empty() || (own.is_minus_one(text) && !is_class)) {
            labels.append({});
            continue;
        }
        const std::int32_t label = is_class && own.is_minus_one(text) ? 0 : own.class_of(text, row);
        labels.append(std::span(&label, 1));
    }
    if (is_class) {
        note_minus_one_class(where, classes, notes);
    } else if (minus_ones > 0) {
        notes.push_back(note_of_none(where, minus_ones, source.truth.size()));
    }
    return labels;
}

}  // namespace assay::store
