#include "labelling/folder_contents.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/refuse.h"
#include "core/text.h"

namespace assay::labelling {
namespace {

/// Rows are numbered from 0 without gaps.
void check_number(const Database& database, const Statement& row, std::size_t expected,
                  std::string_view table) {
    if (row.integer(0) != static_cast<std::int64_t>(expected)) {
        refuse(fmt::format("{}: row {} of `{}` has the number {}", database.path().string(),
                           expected, table, row.integer(0)));
    }
}

void read_asked_images(const Database& database, const FolderSettings& settings,
                       Contents& contents) {
    Statement row = database.prepare("SELECT number, id, path FROM image ORDER BY number");
    while (row.step()) {
        check_number(database, row, contents.images.size(), "image");
        contents.images.push_back({.id = row.text(1), .path = settings.images / row.text(2)});
    }
}

void read_asked_labels(const Database& database, Contents& contents) {
    Statement row = database.prepare(
        "SELECT number, id, name, definition, synonyms FROM class ORDER BY number");
    while (row.step()) {
        check_number(database, row, contents.labels.size(), "class");
        LabelText label{
            .id = row.text(1), .name = row.text(2), .definition = row.text(3), .synonyms = {}};
        for_each_part(row.text(4), "\n",
                      [&](std::string_view synonym) { label.synonyms.emplace_back(synonym); });
        contents.labels.push_back(std::move(label));
    }
}

void read_screens(const Database& database, Contents& contents) {
    std::vector<std::int64_t> ids;
    ids.reserve(contents.questions.size());
    for (const AskedQuestion& question : contents.questions) ids.push_back(question.id);
    Statement row = database.prepare("SELECT screen, question FROM shown ORDER BY screen, place");
    std::int64_t screen = 0;
    std::vector<bool> shown(ids.size(), false);
    while (row.step()) {
        const auto found = std::lower_bound(ids.begin(), ids.end(), row.integer(1));
        if (found == ids.end() || *found != row.integer(1))
            refuse(fmt::format("{}: screen {} shows question {}, which does not exist",
                               database.path().string(), row.integer(0), row.integer(1)));
        const auto question = static_cast<std::uint32_t>(found - ids.begin());
        if (shown[question])
            refuse(fmt::format("{}: screen {} shows question {}, which is already on a screen",
                               database.path().string(), row.integer(0), row.integer(1)));
        shown[question] = true;
        if (contents.screens.empty() || row.integer(0) != screen) contents.screens.emplace_back();
        screen = row.integer(0);
        contents.screens.back().push_back(question);
    }
    if (const auto missing = std::count(shown.begin(), shown.end(), false); missing > 0)
        refuse(fmt::format("{}: {} of {} questions are on no screen", database.path().string(),
                           missing, ids.size()));
}

void check_screens(const Database& database, Task task, const Contents& contents) {
    for (const std::vector<std::uint32_t>& screen : contents.screens) {
        const AskedQuestion& first = contents.questions[screen.front()];
        for (const std::uint32_t q : screen) {
            const AskedQuestion& question = contents.questions[q];
            const bool fits = task == Task::grid     ? question.label == first.label
                              : task == Task::labels ? question.image == first.image
                                                     : screen.size() == 1;
            if (!fits) {
                refuse(fmt::format(
                    "{}: questions {} and {} share a screen, which the task {} does not allow",
                    database.path().string(), first.id, question.id, name_of(task)));
            }
        }
    }
}

}  // namespace

Contents read_folder_contents(const Database& database, const FolderSettings& settings) {
    Contents contents;
    read_asked_images(database, settings, contents);
    read_asked_labels(database, contents);
    for (study::QuestionRow& row : study::read_questions(database)) {
        if (row.image < 0)
            refuse(fmt::format("{}: question {} is about image {}", database.path().string(),
                               row.id, row.image));
        contents.questions.push_back({.id = row.id,
                                      .token = std::move(row.token),
                                      .image = static_cast<std::uint32_t>(row.image),
                                      .label = row.label,
                                      .known = row.gold,
                                      .wanted = true});
    }
    // Images are numbered without gaps, and each used number has a row, so all indices are valid.
    read_screens(database, contents);
    check_screens(database, settings.task, contents);
    return contents;
}

}  // namespace assay::labelling
