#include <fmt/format.h>

#include <array>
#include <utility>

#include "assay/labelling/folder.h"
#include "labelling/folder_images.h"
#include "labelling/folder_settings.h"
#include "study/study_file.h"

namespace assay::labelling {
namespace {

constexpr std::string_view answers_that_count =
    "FROM answer JOIN annotator ON annotator.id = answer.annotator "
    "WHERE counts = 1 AND blocked = 0";

}  // namespace

FolderSummary folder_summary(const std::filesystem::path& folder) {
    const Database database =
        study::open_study(folder, study::StudyKind::questions, Database::Access::read);
    const FolderSettings settings = read_folder_settings(database);
    FolderSummary summary;
    summary.folder = folder;
    summary.task = settings.task;
    summary.title = settings.title;
    summary.votes = settings.votes;
    const auto counted = [&](std::string_view sql) {
        return static_cast<std::uint64_t>(database.integer(sql));
    };
    summary.questions = counted("SELECT count(*) FROM question");
    summary.images = counted("SELECT count(*) FROM image");
    summary.labels = counted("SELECT count(*) FROM class");
    summary.screens = counted("SELECT count(*) FROM screen");
    summary.known = counted("SELECT count(*) FROM question WHERE gold IS NOT NULL");
    summary.answers = counted(fmt::format("SELECT count(*) {}", answers_that_count));
    summary.annotators =
        counted(fmt::format("SELECT count(DISTINCT annotator) {}", answers_that_count));
    summary.blocked = counted("SELECT count(*) FROM annotator WHERE blocked = 1");
    summary.complete =
        counted(fmt::format("SELECT count(*) FROM (SELECT question {} GROUP BY question "
                            "HAVING count(*) >= {})",
                            answers_that_count, settings.votes));
    if (std::string text = all_images_missing(database, settings, folder); !text.empty())
        summary.warnings.push_back(std::move(text));
    return summary;
}

Report report_of(const FolderSummary& summary) {
    const std::array<std::pair<const char*, std::uint64_t>, 10> counts = {{
        {"questions", summary.questions},
        {"images", summary.images},
        {"labels", summary.labels},
        {"screens", summary.screens},
        {"known", summary.known},
        {"votes", summary.votes},
        {"answers", summary.answers},
        {"annotators", summary.annotators},
        {"blocked", summary.blocked},
        {"complete", summary.complete},
    }};
    constexpr std::array<const char*, 10> for_people = {
        "questions",
        "images",
        "labels",
        "screens",
        "questions with known answers",
        "annotators wanted of each question",
        "answers that count",
        "annotators",
        "annotators who are blocked",
        "questions with all their answers",
    };
    Report report;
    report.title = fmt::format("Questions to people: {}", summary.title);
    report.warnings = summary.warnings;
    report.result = {{"schema", "assay.labelling/1"},
                     {"folder", summary.folder.string()},
                     {"task", name_of(summary.task)},
                     {"title", summary.title}};
    Table table;
    table.columns = {{.name = "quantity", .numbers = false}, {.name = "count"}};
    report.records.columns = table.columns;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        report.result[counts[c].first] = counts[c].second;
        table.add({std::string(for_people[c]), Count{counts[c].second}});
        report.records.add({std::string(counts[c].first), Count{counts[c].second}});
    }
    report.result["warnings"] = summary.warnings;
    Section section;
    section.blocks.emplace_back(fmt::format("Task: {}.", name_of(summary.task)));
    section.blocks.emplace_back(std::move(table));
    report.sections.push_back(std::move(section));
    return report;
}

}  // namespace assay::labelling
