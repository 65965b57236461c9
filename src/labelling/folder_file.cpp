#include "labelling/folder_file.h"

#include <fmt/format.h>

#include "assay/labelling/folder.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "study/study_file.h"

namespace assay::labelling {

bool is_labelling_folder(const std::filesystem::path& folder) {
    return is_there(study::study_file(folder, study::StudyKind::questions));
}

Database open_folder(const std::filesystem::path& folder, Database::Access access) {
    if (!is_labelling_folder(folder)) {
        refuse(fmt::format("{}: it is no folder of questions: it has no labelling.sqlite",
                           folder.string()));
    }
    return study::open_study(folder, study::StudyKind::questions, access);
}

}  // namespace assay::labelling
