// What `assay verify` finds in a study.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/report.h"

namespace assay::study {

struct StudyCheck {
    std::filesystem::path folder;
    /// One sentence each: the database's integrity, values that may not stand where they do, rows
    /// that name nothing, files that are not what was recorded. Empty: all is well.
    std::vector<std::string> problems;
    bool competition = false;  ///< else a folder of questions
};
/// "assay.mad_verify/1", "assay.labelling_verify/1".
Report report_of(const StudyCheck& check);

}  // namespace assay::study
