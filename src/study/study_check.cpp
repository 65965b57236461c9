#include "study/study_check.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "assay/describe_result.h"
#include "core/list_columns.h"
#include "study/annotator_links.h"
#include "study/column_check.h"
#include "study/described_study.h"
#include "study/study_file.h"
#include "study/study_tables.h"

namespace assay::study {
namespace {

bool check_database(Problems& problems, const Database& database, std::span<const Table> tables,
                    StudyKind kind, std::int64_t of_version) {
    bool complete = true;
    // Damaged pages may hide tables.
    const bool readable = problems.look([&] {
        ColumnCheck found = check_columns(database, tables, kind, of_version);
        for (std::string& problem : found.problems) problems.add(std::move(problem));
        complete = found.complete;
    });
    // SQLite's findings are after findings with a row and a column.
    problems.look([&] {
        for (std::string& problem : database.problems()) problems.add(std::move(problem));
    });
    return readable && complete;
}

}  // namespace

StudyCheck check_study(const std::filesystem::path& folder, StudyKind kind,
                       const std::function<void(Problems&)>& opened) {
    Problems problems;
    bool readable = false;
    problems.look([&] {
        const Database database = open_study(folder, kind, Database::Access::read);
        readable = check_database(problems, database, study_tables(), kind,
                                  version_of_study(database, kind));
    });
    problems.look([&] {
        if (const std::optional<Database> people = open_people_to_read(folder))
            check_database(problems, *people, people_tables(), kind, people_version);
    });
    if (readable) problems.look([&] { opened(problems); });
    return {folder, problems.take(), kind == StudyKind::competition};
}

namespace {

constexpr std::string_view check_states = R"("sound" | "damaged")";

const char* state_of(const StudyCheck& check) {
    return check.problems.empty() ? "sound" : "damaged";
}

}  // namespace

ResultType result_type(ResultOf<CompetitionCheck>) {
    static constexpr auto check = &CompetitionCheck::check;
    static constexpr auto rows = describe_result<CompetitionCheck>(
        {.name = "CompetitionCheck",
         .help = "What `assay verify` prints of a competition",
         .schema = "assay.mad_verify/1"},
        {
            part<check, &StudyCheck::folder>({.name = "competition"}),
            part({.name = "state", .script = check_states},
                 [](const CompetitionCheck& of) { return state_of(*of.check); }),
            part<check, &StudyCheck::problems>({.help = "A sentence each"}),
        });
    return rows;
}

ResultType result_type(ResultOf<FolderCheck>) {
    static constexpr auto check = &FolderCheck::check;
    static constexpr auto rows = describe_result<FolderCheck>(
        {.name = "LabellingFolderCheck",
         .help = "What `assay verify` prints of a folder of questions",
         .schema = "assay.labelling_verify/1"},
        {
            part<check, &StudyCheck::folder>({}),
            part({.name = "state", .script = check_states},
                 [](const FolderCheck& of) { return state_of(*of.check); }),
            part<check, &StudyCheck::problems>({.help = "A sentence each"}),
        });
    return rows;
}

namespace {

/// The checked object, by its noun.
struct CheckedStudy {
    std::string_view noun;
    const StudyCheck* check;
};
ResultType result_type(ResultOf<CheckedStudy>) {
    static constexpr auto rows = describe_result<CheckedStudy>(
        {.name = "CheckedStudy"},
        {part<&CheckedStudy::noun>({}),
         part<&CheckedStudy::check, &StudyCheck::folder>({.name = "folder"})});
    return rows;
}

/// A problem of the object, or "" if there is none.
struct StudyProblem {
    std::vector<CheckedStudy> studies;  ///< one
    std::string problem;
};
ResultType result_type(ResultOf<StudyProblem>) {
    static constexpr auto rows = describe_result<StudyProblem>(
        {.name = "StudyProblem", .columns = "{noun}=studies.folder,state,problem"},
        {part<&StudyProblem::studies>({}),
         part({.name = "state"},
              [](const StudyProblem& of) { return state_of(*of.studies.front().check); }),
         part<&StudyProblem::problem>({})});
    return rows;
}

assay::Table problem_table(const StudyCheck& check) {
    StudyProblem row{{{check.competition ? "competition" : "folder", &check}}, ""};
    assay::Table table = result_table_for(row);
    for (const std::string& problem : check.problems) {
        row.problem = problem;
        add_row(table, row);
    }
    if (check.problems.empty()) add_row(table, row);
    return table;
}

}  // namespace

Report report_of(const StudyCheck& check) {
    Report report;
    report.title = check.folder.string();
    report.records = problem_table(check);
    report.sections.push_back({.title = "", .blocks = {report.records}, .sections = {}});
    report.result =
        check.competition ? json_of(CompetitionCheck{&check}) : json_of(FolderCheck{&check});
    return report;
}

}  // namespace assay::study
