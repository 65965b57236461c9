// Votes in tables: a row per vote, a column per person, or a column per class. Also the tables of
// Mechanical Turk and Toloka, whose column names begin with their role.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/json_limits.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/parts.h"

namespace assay::crowd {
namespace {

/// A column, and its name without the prefix for its role.
struct Named {
    std::string name;
    std::size_t column = 0;
};

/// The role of each column.
struct Plan {
    /// The places of the answers in the columns `answers`.
    enum class Kind {
        column,   ///< one column of answers
        people,   ///< one per person
        classes,  ///< one per class: does it fit?
        options,  ///< one per possible answer: is it chosen?
        in_json   ///< one column of JSON
    };
    Kind kind = Kind::column;
    std::optional<std::size_t> annotator, label, status, golden;
    std::size_t item = 0;
    std::vector<Named> answers;
    bool which_class() const { return !label && kind != Kind::classes; }
};

/// A column with one person's answers: "worker_1", "rater 2", "annotator:anna".
std::optional<std::string> person_in(std::string_view column) {
    for (const std::string_view word :
         {"annotator", "rater", "worker", "user", "coder", "labeler", "labeller", "expert"}) {
        if (!plain_name(column).starts_with(word)) continue;
        const std::string_view rest = trimmed(column).substr(word.size());
        if (rest.empty()) return std::nullopt;
        if (rest.front() == ':') {
            const std::string_view name = trimmed(rest.substr(1));
            return name.empty() ? std::nullopt : std::optional(std::string(name));
        }
        const std::size_t digits = rest.find_first_not_of("_- .");
        if (digits == std::string_view::npos) return std::nullopt;
        std::uint64_t number = 0;
        if (!parse_number(rest.substr(digits), number)) return std::nullopt;
        return std::string(trimmed(column));
    }
    return std::nullopt;
}

std::vector<Named> people_of(const CsvReader& table) {
    std::vector<Named> people;
    for (std::size_t c = 0; c < table.columns().size(); ++c)
        if (auto person = person_in(table.columns()[c])) people.push_back({std::move(*person), c});
    return people;
}

std::string list_of(const std::vector<Named>& columns, const CsvReader& table) {
    constexpr std::size_t most = 8;
    std::string list;
    for (std::size_t i = 0; i < std::min(most, columns.size()); ++i)
        list += (list.empty() ? "" : ", ") + shortened(trimmed(table.columns()[columns[i].column]));
    return list + (columns.size() > most ? ", ..." : "");
}

void refuse_repeated(const std::vector<Named>& columns, const std::string& source) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (columns[i].name == columns[j].name)
                refuse(fmt::format("{}: two columns are named {}", source,
                                   shortened(columns[i].name)));
        }
    }
}

/// Decides between a row per vote, a column per person and a column per class.
Plan plan_of_table(const CsvReader& table, const std::string& source) {
    Plan plan;
    plan.annotator = table.find_column(annotator_words);
    if (!plan.annotator) {
        plan.kind = Plan::Kind::people;
        plan.answers = people_of(table);
        // The error lists the existing columns.
        if (plan.answers.empty()) table.column({"annotator", "rater", "worker", "user"});
        refuse_repeated(plan.answers, source);
    }
    const auto item = table.find_column(item_words);
    plan.item = item ? *item : table.column({"item", "image", "path", "file"});
    plan.label = table.find_column(label_words);
    if (plan.kind == Plan::Kind::people) return plan;
    if (const auto answer = table.find_column(answer_words)) {
        plan.answers = {{"", *answer}};
        return plan;
    }
    if (plan.label) {  // annotators use this for the image
        refuse_doubtful(table, *plan.label, source);
        plan.answers = {{"", *plan.label}};
        plan.label.reset();
        return plan;
    }
    std::vector<Named> rest;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const std::string name = plain_name(table.columns()[c]);
        const bool used = c == *plan.annotator || c == plan.item || name.empty() ||
                          is_among(name, other_words) || is_among(name, annotator_words);
        if (!used) rest.push_back({std::string(trimmed(table.columns()[c])), c});
    }
    if (table.find_column({"annotation_id"}) && rest.size() == 1) {
        plan.answers = {{"", rest[0].column}};  // the only control of a Label Studio project
        return plan;
    }
    if (rest.size() < 2) {
        refuse(
            fmt::format("{}: no column is named answer, vote or response, and none named label or "
                        "class gives the chosen class; columns: {}. Name that column label",
                        source, fmt::join(table.columns(), ", ")));
    }
    refuse_repeated(rest, source);
    plan.kind = Plan::Kind::classes;
    plan.answers = std::move(rest);
    return plan;
}

/// The columns whose names begin with `prefix`, in any case.
std::vector<Named> columns_below(const CsvReader& table, std::string_view prefix,
                                 const std::string& source) {
    std::vector<Named> out;
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
        const std::string name = plain_name(table.columns()[c]);
        if (name.starts_with(prefix))
            out.push_back({std::string(trimmed(table.columns()[c])).substr(prefix.size()), c});
    }
    refuse_repeated(out, source);
    return out;
}

/// Removes the only one of `columns` that a word names, and returns it.
std::optional<Named> take_named(std::vector<Named>& columns, Words words) {
    const auto named = [&](const Named& one) { return is_among(plain_name(one.name), words); };
    if (std::ranges::count_if(columns, named) != 1) return std::nullopt;
    const auto found = std::ranges::find_if(columns, named);
    Named out = *found;
    columns.erase(found);
    return out;
}

/// Finds the image and class of a service's task.
void plan_inputs(Plan& plan, const CsvReader& table, std::string_view prefix,
                 const std::string& source) {
    std::vector<Named> inputs = columns_below(table, prefix, source);
    if (inputs.empty()) {
        refuse(fmt::format("{}: no column {}... says which image a task was about; columns: {}",
                           source, prefix, fmt::join(table.columns(), ", ")));
    }
    if (const auto label = take_named(inputs, label_words)) plan.label = label->column;
    auto item = take_named(inputs, item_words);
    if (!item && inputs.size() == 1) item = inputs[0];
    if (!item) {
        refuse(fmt::format("{}: which of the columns {} is the image? Name it {}image", source,
                           list_of(inputs, table), prefix));
    }
    plan.item = item->column;
}

void plan_answers(Plan& plan, const CsvReader& table, std::string_view prefix,
                  const std::string& source) {
    std::vector<Named> answers = columns_below(table, prefix, source);
    if (answers.empty()) {
        refuse(fmt::format("{}: no column {}... says what was answered; columns: {}", source,
                           prefix, fmt::join(table.columns(), ", ")));
    }
    std::vector<Named> others = answers;
    if (const auto tasks = take_named(others, {"taskanswers"})) {
        plan.kind = Plan::Kind::in_json;
        plan.answers = {*tasks};
        return;
    }
    std::erase_if(answers, [](const Named& one) {
        return is_among(plain_name(one.name), {"comment", "comments", "feedback"});
    });
    if (answers.size() == 1) {
        plan.answers = answers;
        return;
    }
    for (const Words words : {answer_words, label_words, Words{"result"}}) {
        if (const auto one = take_named(answers, words)) {
            plan.answers = {*one};
            return;
        }
    }
    std::vector<Named> chosen = answers;  // "category.label" in a crowd-image-classifier
    std::erase_if(chosen,
                  [](const Named& one) { return !plain_name(one.name).ends_with(".label"); });
    if (chosen.size() == 1) {
        plan.answers = chosen;
        return;
    }
    const std::size_t dot = answers.empty() ? std::string::npos : answers[0].name.find('.');
    const bool options =
        dot != std::string::npos && std::ranges::all_of(answers, [&](const Named& one) {
            return one.name.starts_with(answers[0].name.substr(0, dot + 1));
        });
    if (!options) {
        refuse(fmt::format("{}: which of the columns {} is the answer? Name it {}answer", source,
                           list_of(answers, table), prefix));
    }
    plan.kind = Plan::Kind::options;
    for (Named& one : answers) one.name.erase(0, dot + 1);
    plan.answers = std::move(answers);
}

Plan plan_of(const CsvReader& table, Layout layout, const std::string& source) {
    if (layout == Layout::mechanical_turk || layout == Layout::toloka) {
        const bool turk = layout == Layout::mechanical_turk;
        Plan plan;
        plan.annotator = turk ? table.column({"WorkerId"}) : table.column({"ASSIGNMENT:worker_id"});
        plan.status = turk ? table.find_column({"AssignmentStatus"})
                           : table.find_column({"ASSIGNMENT:status"});
        plan_inputs(plan, table, turk ? "input." : "input:", source);
        plan_answers(plan, table, turk ? "answer." : "output:", source);
        for (std::size_t c = 0; c < table.columns().size() && !turk; ++c)
            if (plain_name(table.columns()[c]).starts_with("golden:")) plan.golden = c;
        return plan;
    }
    return plan_of_table(table, source);
}

/// Describes the columns: "image: column item; ..."
std::string taken_for(const Plan& plan, const CsvReader& table) {
    std::vector<char> used(table.columns().size(), 0);
    std::string text;
    const auto add = [&](std::string_view what, std::size_t column) {
        used[column] = 1;
        text += fmt::format("{}{}: column {}", text.empty() ? "" : "; ", what,
                            shortened(trimmed(table.columns()[column])));
    };
    add("image", plan.item);
    if (plan.annotator) add("annotator", *plan.annotator);
    if (plan.label) add("class asked about", *plan.label);
    if (plan.status) add("status", *plan.status);
    for (const Named& answer : plan.answers) used[answer.column] = 1;
    if (plan.answers.size() == 1 && plan.kind != Plan::Kind::people) {
        add(plan.which_class() ? "class chosen" : "answer", plan.answers[0].column);
    } else {
        const std::string_view what = plan.kind == Plan::Kind::people    ? "people"
                                      : plan.kind == Plan::Kind::classes ? "classes asked about"
                                                                         : "possible answers";
        text += fmt::format("; {}: {} columns {}", what, plan.answers.size(),
                            list_of(plan.answers, table));
    }
    std::vector<Named> rest;
    for (std::size_t c = 0; c < used.size(); ++c)
        if (used[c] == 0) rest.push_back({"", c});
    if (!rest.empty()) text += "; not used: " + list_of(rest, table);
    return text;
}

bool is_chosen(std::string_view cell) {
    const std::string plain = plain_name(cell);
    return plain == "true" || plain == "1" || plain == "1.0" || plain == "on" || plain == "yes" ||
           plain == "checked";
}

class TableVotes {
public:
    TableVotes(CsvReader& row, const Plan& plan, const Sink& sink)
        : row_(row), plan_(plan), sink_(sink), where_([this] { return row_.where(); }) {}

    void read() {
        constexpr std::size_t often = 1024;
        for (std::size_t rows = 0; row_.next(); ++rows) {
            if (rows % often == 0) throw_if_stopped();
            if (counts()) take_row();
        }
    }
    LeftOut left_out;
    std::uint64_t golden = 0;

private:
    std::string_view cell(std::size_t column) const { return trimmed(row_[column]); }

    /// True if the service and the requester did not reject the answers.
    bool counts() {
        if (!plan_.status) return true;
        const std::string status = plain_name(row_[*plan_.status]);
        if (!is_among(status, {"rejected", "expired", "skipped", "returned", "abandoned"}))
            return true;
        left_out.add(status + " assignments");
        return false;
    }

    void take_row() {
        Vote vote;
        vote.item = cell(plan_.item);
        if (plan_.annotator) vote.annotator = cell(*plan_.annotator);
        if (plan_.label) vote.label = cell(*plan_.label);
        if (plan_.golden && !cell(*plan_.golden).empty()) ++golden;
        if (plan_.label && vote.label.empty()) {
            no_label();
            return;
        }
        switch (plan_.kind) {
            case Plan::Kind::column:
                vote.answer = cell(plan_.answers[0].column);
                // A multiple choice in Label Studio's csv.
                if (plan_.which_class() && vote.answer.starts_with("{\"choices\""))
                    return take_json(vote);
                if (plan_.which_class() && says_nothing(vote.answer)) {
                    left_out.add("without an answer");
                } else {
                    sink_.take(vote, where_);
                }
                break;
            case Plan::Kind::people:
            case Plan::Kind::classes:
                take_cells(vote);
                break;
            case Plan::Kind::options: {
                std::vector<std::string> chosen;
                for (const Named& one : plan_.answers)
                    if (is_chosen(row_[one.column])) chosen.push_back(one.name);
                give(sink_, vote, chosen, where_, left_out);
                break;
            }
            case Plan::Kind::in_json:
                take_json(vote);
        }
    }

    void take_json(const Vote& vote) {
        constexpr int depth = 16;
        const auto said = with_note("reading " + row_.where(), [&] {
            return chosen_in(parse_json(cell(plan_.answers[0].column), depth));
        });
        give(sink_, vote, said, where_, left_out);
    }

    void no_label() {
        sink_.problem("vote without an annotator, image or label",
                      [&] { return fmt::format("{}: no class asked about", row_.where()); });
    }

    /// An empty cell is a question that the person was not asked.
    void take_cells(Vote vote) {
        for (const Named& one : plan_.answers) {
            vote.answer = cell(one.column);
            if (says_nothing(vote.answer)) continue;
            (plan_.kind == Plan::Kind::people ? vote.annotator : vote.label) = one.name;
            sink_.take(vote, where_);
        }
    }

    CsvReader& row_;
    const Plan& plan_;
    const Sink& sink_;
    Where where_;
};

}  // namespace

Layout layout_of_table(std::string_view text) {
    constexpr std::size_t most_header = 1 << 20;
    const std::string_view header = text.substr(0, std::min(text.find('\n'), most_header));
    std::optional<CsvReader> table;
    try {
        table.emplace(header, "");
    } catch (const Error&) {  // not a table; the next reader reports the error
        return Layout::none;
    }
    const auto has = [&](std::string_view name) {
        return std::ranges::any_of(table->columns(),
                                   [&](const auto& c) { return plain_name(c) == name; });
    };
    const auto begins = [&](std::string_view prefix) {
        return std::ranges::any_of(
            table->columns(), [&](const auto& c) { return plain_name(c).starts_with(prefix); });
    };
    if (has("workerid") && (begins("input.") || begins("answer."))) return Layout::mechanical_turk;
    if (begins("input:") && (begins("output:") || begins("assignment:"))) return Layout::toloka;
    if (has("annotations") && has("subject_data")) return Layout::zooniverse;
    if (!std::ranges::any_of(item_words, has)) return Layout::none;
    if (std::ranges::any_of(annotator_words, has)) return Layout::table;
    return people_of(*table).size() > 1 ? Layout::people : Layout::none;
}

Reading read_table(std::string_view text, const std::string& source, Layout layout,
                   const Sink& sink) {
    CsvReader row(text, source);
    const Plan plan = plan_of(row, layout, source);
    if (layout == Layout::none)
        layout = plan.kind == Plan::Kind::people ? Layout::people : Layout::table;
    TableVotes votes(row, plan, sink);
    votes.read();
    Reading out =
        reading_of(layout, plan.which_class(), source, taken_for(plan, row), votes.left_out);
    if (votes.golden > 0) {
        out.notes.push_back(
            fmt::format("{}: {} rows belong to control tasks (GOLDEN) and count like any other",
                        source, votes.golden));
    }
    return out;
}

}  // namespace assay::crowd
