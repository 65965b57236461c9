#include "study/study_check.h"

#include <optional>

#include "study/annotator_links.h"
#include "study/column_check.h"
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
    // What SQLite finds is told after what has a row and a column.
    problems.look([&] {
        for (std::string& problem : database.problems()) problems.add(std::move(problem));
    });
    return readable && complete;
}

}  // namespace

bool check_study(Problems& problems, const std::filesystem::path& folder, StudyKind kind) {
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
    return readable;
}

Report report_of_check(const std::filesystem::path& folder,
                       const std::vector<std::string>& problems, const std::string& noun,
                       const std::string& schema) {
    Report report;
    report.title = folder.string();
    const std::string state = problems.empty() ? "sound" : "damaged";
    assay::Table table{.title = "",
                       .columns = {{noun, false}, {"state", false}, {"problem", false}},
                       .rows = {},
                       .notes = {}};
    for (const std::string& problem : problems) table.add({folder.string(), state, problem});
    if (problems.empty()) table.add({folder.string(), state, std::string()});
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.result = {
        {"schema", schema}, {noun, folder.string()}, {"state", state}, {"problems", problems}};
    return report;
}

}  // namespace assay::study
