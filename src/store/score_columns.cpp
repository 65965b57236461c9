#include "store/score_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>

#include "assay/error.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "data/column_words.h"
#include "store/cells.h"
#include "store/column_numbers.h"
#include "store/score_names.h"

namespace assay::store {
namespace {

/// Columns with these names are not classes, unless a label has the name.
bool is_side_number(std::string_view name) {
    constexpr std::array<std::string_view, 24> keys{
        "step",    "iteration", "seed",    "batch",     "run",      "nll",
        "ce",      "entropy",   "margin",  "energy",    "maxprob",  "uncertainty",
        "width",   "height",    "size",    "time",      "timems",   "ms",
        "seconds", "latency",   "correct", "iscorrect", "accuracy", "temperature"};
    const ColumnWord word = column_word(name);
    return word == ColumnWord::split || word == ColumnWord::attribute ||
           std::ranges::find(keys, column_key(name)) != keys.end();
}

std::vector<std::string> names_at(const ColumnSample& sample, const Columns& columns) {
    std::vector<std::string> names;
    for (const std::size_t c : columns) names.push_back(sample.names[c]);
    return names;
}

/// The columns PREFIX0, PREFIX1, ... without a gap, if there are at least two.
Columns series_in(const ColumnSample& sample) {
    std::map<std::string_view, Columns> groups;
    for (std::size_t c = 0; c < sample.names.size(); ++c) {
        if (const auto split = numbered(sample.names[c])) groups[split->first].push_back(c);
    }
    Columns largest;
    for (const auto& [prefix, columns] : groups) {
        if (columns.size() > std::max<std::size_t>(largest.size(), 1) &&
            !places_of(names_at(sample, columns)).empty())
            largest = columns;
    }
    return largest;
}

/// True for PREFIX1, PREFIX2, ... without a gap, in any order.
bool numbers_from_one(const std::vector<std::string>& names) {
    std::set<std::uint64_t> numbers;
    for (const std::string& name : names) {
        if (const auto split = numbered(name)) numbers.insert(split->second);
    }
    return numbers.size() == names.size() && *numbers.begin() == 1 &&
           *numbers.rbegin() == names.size();
}

/// Throws usage if the list has the columns' numbers in another order, as `ls` sorts them (1, 10,
/// 2). Then a column's number may be an id or a position. `names` are sorted by number.
void refuse_two_orders(const ClassList& list, const std::vector<std::string>& names) {
    // by_number() returns nothing for ids that are words.
    if (list.size() != names.size() || std::ranges::is_sorted(by_number(list.ids()))) return;
    std::map<std::uint64_t, std::size_t> class_of_number;
    for (std::size_t c = 0; c < list.size(); ++c)
        class_of_number.emplace(numbered(list.id(c))->second, c);
    for (std::size_t c = 0; c < names.size(); ++c) {
        const auto found = class_of_number.find(numbered(names[c])->second);
        if (found == class_of_number.end() || found->second == c) continue;
        throw Error(
            ErrorCode::usage,
            fmt::format("the column `{}` may be the class `{}` by its number or `{}` by its "
                        "position, because the classes are not sorted by number ({}). Name each "
                        "column `prob_` and the id of its class, such as `prob_{}`",
                        shortened(names[c]), shortened(list.id(found->second)),
                        shortened(list.id(c)), listed(list.ids()), shortened(list.id(c))));
    }
}

/// True if all ids are numbers, but do not count by 1.
bool are_numbers_with_gaps(const ClassList& list) {
    std::uint64_t first = 0;
    bool gaps = false;
    for (std::size_t c = 0; c < list.size(); ++c) {
        std::uint64_t number = 0;
        if (!parse_number(list.id(c), number)) return false;
        if (c == 0) first = number;
        gaps = gaps || number != first + c;
    }
    return gaps;
}

ScoreColumns taken_as(const ColumnSample& sample, Columns columns, const KnownClasses& known) {
    const ClassList& list = known.list;
    const bool told = known.told;
    ScoreColumns out;
    out.taken = std::move(columns);
    std::vector<std::string> names = names_at(sample, out.taken);
    if (names.empty() || !sample.named) return out;
    if (out.place = places_of_list(list, names); !out.place.empty()) {
        const auto split = prefixed(names.front());
        out.kind_name = split ? split->first : names.front();
        out.classes = list.ids();
        return out;
    }
    if (out.place = by_number(names); !out.place.empty()) {
        const bool from_0 = !places_of(names).empty(), from_1 = numbers_from_one(names);
        out.kind_name = names.front();
        const bool numbers = is_placeholder(numbered(names.front())->first);
        std::vector<std::string> sorted = placed(names, out.place);
        if (from_0 || from_1) refuse_two_orders(list, sorted);
        // Names such as "grade0" are the classes' own names, unless a list gives other names.
        if (from_0 && (numbers || !list.empty())) return out;
        // The user's list names "class_1" to "class_3".
        if (numbers && told && list.size() == names.size() && from_1 &&
            !are_numbers_with_gaps(list)) {
            out.said = fmt::format(
                "the columns {} to {} are the classes of the list by their "
                "numbers: {} is `{}`",
                shortened(sorted.front()), shortened(sorted.back()), shortened(sorted.front()),
                shortened(list.id(0)));
            return out;
        }
        if (numbers) {
            for (std::string& name : sorted) name = fmt::format("{}", numbered(name)->second);
        }
        out.classes = std::move(sorted);
        return out;
    }
    const auto first = prefixed(names.front());
    const bool all = first && std::ranges::all_of(names, [&](const std::string& name) {
                         const auto split = prefixed(name);
                         return split && split->first == first->first;
                     });
    if (all && names.size() > 1) {
        out.kind_name = first->first;
        for (std::string& name : names) name = std::string(prefixed(name)->second);
    }
    out.classes = std::move(names);
    return out;
}

/// The names, quoted for the shell.
std::string typed(const std::vector<std::string>& names) {
    const std::string text = fmt::format("{}", fmt::join(names, ","));
    // shell_word() treats "-x" as a file.
    return text.starts_with('-') ? "'" + text + "'" : shell_word(text);
}

/// A column that may not be a class, with the reason.
struct Doubt {
    std::size_t column = 0;
    std::vector<std::string> why;
};

[[noreturn]] void ask(const ColumnSample& sample, const std::vector<Doubt>& doubts) {
    constexpr std::size_t most_named = 5;
    std::string said;
    std::vector<std::string> names;
    for (const Doubt& doubt : doubts) {
        names.push_back(sample.names[doubt.column]);
        if (names.size() > most_named) continue;
        said += fmt::format("{}`{}` ({})", said.empty() ? "" : ", ", shortened(names.back()),
                            fmt::join(doubt.why, ", "));
    }
    if (names.size() > most_named) said += fmt::format(" and {} more", names.size() - most_named);
    const bool one = names.size() == 1;
    const bool label =
        one && !sample.has_labels && ColumnNumbers(sample).is_whole(doubts.front().column);
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "{} {} may be no class of the scores. If {} other numbers, pass --ignore-columns {}{}; "
            "if all columns of numbers are classes, pass --score-columns '*'. {}: {}",
            one ? "the column" : "the columns", said, one ? "it holds" : "they hold", typed(names),
            label ? fmt::format("; if it holds the labels, --label-column {}", typed(names)) : "",
            sample.named ? "The columns of numbers" : "There is no header, and the columns are",
            listed(sample.names)));
}

/// True if a label has the name of a column.
bool has_named_column(const ColumnSample& sample) {
    return sample.named && std::ranges::any_of(sample.names, [&](const std::string& name) {
               return sample.labels.contains(name);
           });
}

/// Columns without evidence that they are classes, with the reason for each.
std::vector<Doubt> doubts_of(const ColumnSample& sample) {
    const ColumnNumbers numbers(sample);
    const bool any_named = has_named_column(sample);
    const bool sums = numbers.rows_are_distributions();
    const bool rounded = !sums && numbers.rows_are_rounded();
    const auto rest = sums ? std::nullopt : numbers.range_of_probabilities();
    const std::size_t columns = sample.names.size();
    std::size_t whole = 0, constant = 0;
    for (std::size_t c = 0; c < columns; ++c) {
        whole += numbers.is_whole(c) ? 1U : 0U;
        constant += numbers.is_constant(c) ? 1U : 0U;
    }
    std::vector<Doubt> doubts;
    for (std::size_t c = 0; c < columns; ++c) {
        const std::string& name = sample.names[c];
        if (sample.named && sample.labels.contains(name)) continue;
        Doubt doubt{c, {}};
        if (sums) {  // rows sum to 1; without a column, only if it is 0
            if (sample.named && numbers.is_zero(c) && constant < columns)
                doubt.why.emplace_back("0 in all rows");
        } else {
            if (numbers.is_constant(c) && constant < columns)
                doubt.why.emplace_back("the same number in all rows");
            else if (!rounded && numbers.is_whole(c) && whole < columns)
                doubt.why.emplace_back("whole numbers");
            if (rest && (c < rest->first || c > rest->second))
                doubt.why.emplace_back("the other columns sum to 1");
            if (any_named && (!rounded || numbers.rows_are_rounded_without(c)))
                doubt.why.emplace_back("no label has its name");
            if (doubt.why.empty() && sample.named && is_side_number(name))
                doubt.why.emplace_back("its name");
        }
        if (!doubt.why.empty()) doubts.push_back(std::move(doubt));
    }
    return doubts;
}

/// Columns that are not in `taken`, with the reason `why`.
std::vector<Doubt> others_than(const Columns& taken, std::size_t columns, const std::string& why) {
    std::vector<Doubt> out;
    for (std::size_t c = 0; c < columns; ++c) {
        if (!std::ranges::binary_search(taken, c)) out.push_back({c, {why}});
    }
    return out;
}

Columns all_of(const ColumnSample& sample) {
    Columns out;
    for (std::size_t c = 0; c < sample.names.size(); ++c) out.push_back(c);
    return out;
}

/// Asks the user if a score seems to be missing or duplicated. Columns that sum to 1 are complete.
void ask_about_gaps(const ColumnSample& sample, const Columns& columns) {
    ColumnSample part;
    part.names = names_at(sample, columns);
    part.rows = sample.rows;
    for (std::size_t r = 0; r < sample.rows; ++r) {
        for (const std::size_t c : columns)
            part.values.push_back(sample.values[r * sample.names.size() + c]);
    }
    if (ColumnNumbers(part).rows_are_distributions()) return;
    std::vector<Doubt> repeated;
    for (const std::size_t i : copies_in(part.names)) {
        const std::size_t mark = part.names[i].find_last_of("._:");
        const std::string first = part.names[i].substr(0, mark);
        repeated.push_back({columns[i], {fmt::format("a second `{}`", shortened(first))}});
    }
    if (!repeated.empty()) ask(sample, repeated);
    if (const auto missing = missing_number(part.names)) {
        throw Error(ErrorCode::usage,
                    fmt::format("there are the columns {}, and none is called `{}`: a class may be "
                                "missing. If these are all classes, pass --score-columns '*'",
                                listed(part.names), shortened(*missing)));
    }
}

Columns chosen_by_name(const ColumnSample& sample, const std::vector<std::string>& patterns) {
    std::set<std::size_t> out;
    std::map<std::string_view, Columns> by_name;
    for (std::size_t c = 0; c < sample.names.size(); ++c)
        by_name[trimmed(sample.names[c])].push_back(c);
    for (const std::string& pattern : patterns) {
        const bool plain = pattern.find('*') == std::string::npos;
        Columns found;
        if (const auto named = by_name.find(trimmed(pattern)); plain && named != by_name.end())
            found = named->second;
        for (std::size_t c = 0; c < sample.names.size() && !plain; ++c) {
            if (matches_pattern(trimmed(sample.names[c]), trimmed(pattern))) found.push_back(c);
        }
        for (const std::size_t c : found) {
            if (!out.insert(c).second && plain)
                throw Error(ErrorCode::usage,
                            fmt::format("--score-columns has `{}` twice", shortened(pattern)));
        }
        if (found.empty()) {
            throw Error(ErrorCode::usage,
                        fmt::format("--score-columns: no column of numbers is named `{}`{}",
                                    shortened(pattern), suggest(pattern, sample.names)));
        }
    }
    return {out.begin(), out.end()};
}

/// The columns with the names of all classes of the list; empty if one is missing.
Columns columns_of(const ColumnSample& sample, const ClassList& classes) {
    std::vector<bool> found(classes.size(), false);
    Columns out;
    for (std::size_t c = 0; c < sample.names.size(); ++c) {
        auto cls = classes.find(trimmed(sample.names[c]));
        if (const auto split = prefixed(sample.names[c]); !cls && split)
            cls = classes.find(split->second);
        if (!cls) continue;
        if (found[static_cast<std::size_t>(*cls)]) return {};
        found[static_cast<std::size_t>(*cls)] = true;
        out.push_back(c);
    }
    return out.size() == classes.size() ? out : Columns{};
}

}  // namespace

bool has_doubtful_columns(const ColumnSample& sample) {
    return !doubts_of(sample).empty();
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) return name == pattern;
    if (!name.starts_with(pattern.substr(0, star))) return false;
    name.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    if (pattern.find('*') == std::string_view::npos) return name.ends_with(pattern);
    for (std::size_t at = 0; at <= name.size(); ++at) {
        if (matches_pattern(name.substr(at), pattern)) return true;
    }
    return false;
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 12;
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names.size() > most && i == 3) {
            text += ", ...";
            i = names.size() - 1;
        }
        text += (text.empty() ? "" : ", ") + shortened(names[i]);
    }
    return text;
}

bool shows_all_scores(const ColumnSample& sample, const std::vector<float>& confidence) {
    if (sample.names.size() < 2) return false;
    const ColumnNumbers numbers(sample);
    if (has_prefix_group(sample.names) || !series_in(sample).empty()) return true;
    if (has_named_column(sample)) return true;
    return numbers.rows_are_distributions() || numbers.range_of_probabilities() ||
           numbers.has_maxima(confidence);
}

ScoreColumns choose_score_columns(const ColumnSample& sample, const ScoreColumnNames& choice,
                                  const KnownClasses& classes) {
    const std::size_t columns = sample.names.size();
    if (!choice.scores.empty())
        return taken_as(sample, chosen_by_name(sample, choice.scores), classes);
    if (columns < 2 || (classes.count != 0 && classes.count == columns))
        return taken_as(sample, all_of(sample), classes);
    if (sample.named && classes.list.size() > 1) {
        Columns found = columns_of(sample, classes.list);
        if (!found.empty() && found.size() < columns && !classes.told)
            ask(sample, others_than(found, columns, "no class of the existing data set"));
        if (!found.empty()) return taken_as(sample, std::move(found), classes);
    }
    if (sample.named) {
        const auto groups = prefix_groups(sample.names);
        if (groups.size() > 1) {
            std::vector<std::string> options;
            for (const auto& [prefix, members] : groups)
                options.push_back(std::string(prefix) + "*");
            throw Error(
                ErrorCode::usage,
                fmt::format("{} sets of columns could be the scores: choose one with "
                            "--score-columns '{}'. The columns of numbers: {}",
                            groups.size(), fmt::join(options, "' or '"), listed(sample.names)));
        }
        if (groups.size() == 1) {
            ask_about_gaps(sample, groups.begin()->second);
            return taken_as(sample, groups.begin()->second, classes);
        }
        const Columns series = series_in(sample);
        if (series.size() == columns) return taken_as(sample, series, classes);
        if (!series.empty() && !ColumnNumbers(sample).rows_are_distributions()) {
            ask(sample, others_than(series, columns,
                                    fmt::format("not one of {} to {}", sample.names[series.front()],
                                                sample.names[series.back()])));
        }
    }
    const std::vector<Doubt> doubts = doubts_of(sample);
    if (!doubts.empty()) ask(sample, doubts);
    if (sample.named) ask_about_gaps(sample, all_of(sample));
    return taken_as(sample, all_of(sample), classes);
}

}  // namespace assay::store
