#include <fmt/format.h>

#include "assay/labelling/folder.h"
#include "core/refuse.h"
#include "labelling/folder_contents.h"
#include "study/study_check.h"
#include "study/study_file.h"

namespace assay::labelling {
namespace {

/// What rows say together.
void check_opened_folder(study::Problems& problems, const std::filesystem::path& folder) {
    const Database database =
        study::open_study(folder, study::StudyKind::questions, Database::Access::read);
    problems.look([&] {
        const FolderSettings settings = read_folder_settings(database);
        const Contents contents = read_folder_contents(database, settings);
        if (contents.questions.empty())
            refuse(fmt::format("{}: it holds no question", database.path().string()));
    });
    problems.look([&] { study::read_annotators(database); });
    problems.look([&] { study::read_answers(database, true); });
    problems.look([&] { write_answers_csv(folder, [](std::string_view) {}); });
}

}  // namespace

std::vector<std::string> verify_folder(const std::filesystem::path& folder) {
    study::Problems problems;
    if (study::check_study(problems, folder, study::StudyKind::questions))
        problems.look([&] { check_opened_folder(problems, folder); });
    return problems.take();
}

Report report_of(const FolderCheck& check) {
    return study::report_of_check(check.folder, check.problems, "folder",
                                  "assay.labelling_verify/1");
}

}  // namespace assay::labelling
