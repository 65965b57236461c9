#include <fmt/format.h>

#include "assay/labelling/folder.h"
#include "core/refuse.h"
#include "labelling/folder_contents.h"
#include "study/study_check.h"
#include "study/study_file.h"

namespace assay::labelling {

study::StudyCheck verify_folder(const std::filesystem::path& folder) {
    constexpr study::StudyKind kind = study::StudyKind::questions;
    return study::check_study(folder, kind, [&](study::Problems& problems) {
        // Checks the consistency of rows.
        const Database database = study::open_study(folder, kind, Database::Access::read);
        problems.look([&] {
            const FolderSettings settings = read_folder_settings(database);
            const Contents contents = read_folder_contents(database, settings);
            if (contents.questions.empty())
                refuse(fmt::format("{}: it holds no question", database.path().string()));
        });
        problems.look([&] { study::read_annotators(database); });
        problems.look([&] { study::read_answers(database, true); });
        problems.look([&] { write_answers_csv(folder, [](std::string_view) {}); });
    });
}

}  // namespace assay::labelling
