#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/labelling/folder.h"
#include "labelling/folder_images.h"
#include "labelling/folder_settings.h"
#include "study/quantities.h"
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

ResultType result_type(ResultOf<FolderSummary>) {
    using Of = FolderSummary;
    static constexpr auto rows =
        describe_result<Of>({.name = "LabellingSummary",
                             .help = "A folder of questions for annotators",
                             .schema = "assay.labelling/1"},
                            {
                                part<&Of::folder>({}),
                                part({.name = "task"}, [](const Of& o) { return name_of(o.task); }),
                                part<&Of::title>({}),
                                part<&Of::questions>({}),
                                part<&Of::images>({}),
                                part<&Of::labels>({}),
                                part<&Of::screens>({}),
                                part<&Of::known>({.help = "Questions with known answers"}),
                                part<&Of::votes>({.help = "Wanted annotators per question"}),
                                part<&Of::answers>({.help = "That count"}),
                                part<&Of::annotators>({}),
                                part<&Of::blocked>({.help = "Annotators who are blocked"}),
                                part<&Of::complete>({.help = "Questions with all their answers"}),
                                part<&Of::warnings>({}),
                            });
    return rows;
}

Report report_of(const FolderSummary& summary) {
    constexpr std::array<const char*, 10> for_people = {
        "questions",
        "images",
        "labels",
        "screens",
        "questions with known answers",
        "wanted annotators per question",
        "answers that count",
        "annotators",
        "annotators who are blocked",
        "questions with all their answers",
    };
    Report report;
    report.title = fmt::format("Questions for annotators: {}", summary.title);
    report.warnings = summary.warnings;
    report.result = to_json(summary);
    report.records = study::quantities_of(summary, "count");
    Table table;
    table.columns = report.records.columns;
    for (std::size_t c = 0; c < for_people.size(); ++c)
        table.add({std::string(for_people[c]), report.records.rows.at(c).at(1)});
    Section section;
    section.blocks.emplace_back(fmt::format("Task: {}.", name_of(summary.task)));
    section.blocks.emplace_back(std::move(table));
    report.sections.push_back(std::move(section));
    return report;
}

}  // namespace assay::labelling
