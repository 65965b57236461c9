#include "labelling/question_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.h"
#include "data/crowd/crowd.h"

namespace assay::labelling {
namespace {

const std::vector<std::string>& columns_of_questions() {
    static const std::vector<std::string> names = {"item",   "image", "path",       "label",
                                                   "class",  "name",  "definition", "synonyms",
                                                   "answer", "gold",  "control",    "batch"};
    return names;
}

/// Other usual columns in tables of questions and answers.
constexpr std::array<std::string_view, 18> harmless_columns = {
    "id",     "file",  "filename", "picture",   "question",  "answers",
    "wanted", "prior", "selected", "annotator", "rater",     "worker",
    "user",   "grid",  "hit",      "at",        "frequency", "proposed_by"};

std::string column_name(const std::string& written) {
    std::string name;
    for (const char c : trimmed(written)) name += lower(c);
    return name;
}

void name_misspelt(const CsvReader& table, std::vector<std::string>& warnings) {
    const std::vector<std::string>& known = columns_of_questions();
    for (const std::string& written : table.columns()) {
        const std::string name = column_name(written);
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        if (std::find(harmless_columns.begin(), harmless_columns.end(), name) !=
            harmless_columns.end())
            continue;
        const std::string near = nearest_name(name, known);
        if (!near.empty())
            warnings.push_back(fmt::format("column `{}` is not used; did you mean `{}`?",
                                           shortened(written), near));
    }
}

}  // namespace

QuestionColumns question_columns(const CsvReader& table, Task task,
                                 std::vector<std::string>& warnings) {
    QuestionColumns found;
    found.of_annotators = table.find_column(crowd::annotator_words).has_value();
    found.path = table.find_column({"path", "file", "filename"});
    if (const auto item = table.find_column({"item", "image", "picture", "id"})) {
        found.item = *item;
    } else {
        found.item = table.column({"item", "image", "id", "path", "file", "filename"});
        found.path.reset();
    }
    const auto label = table.find_column({"label"});
    found.label = label ? *label : table.column({"label", "class"});
    const auto class_name = label ? table.find_column({"class"}) : std::nullopt;
    found.name = class_name ? class_name : table.find_column({"name"});
    found.definition = table.find_column({"definition"});
    found.synonyms = table.find_column({"synonyms"});
    // An annotator's answer is not a known answer.
    found.known =
        found.of_annotators ? table.find_column({"gold"}) : table.find_column({"answer", "gold"});
    found.control = table.find_column({"control"});
    found.batch = table.find_column({"batch", "grid", "hit"});
    name_misspelt(table, warnings);
    if (found.of_annotators && table.find_column({"answer"}))
        warnings.emplace_back(
            "column `answer` has earlier answers of annotators, so it is not used as known "
            "answers");
    if (found.batch && task != Task::grid) {
        warnings.push_back(fmt::format("column `{}` only applies to grids, so it is not used",
                                       shortened(table.columns()[*found.batch])));
        found.batch.reset();
    }
    return found;
}

}  // namespace assay::labelling
