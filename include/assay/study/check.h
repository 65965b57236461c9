// The findings of `assay verify` about a study.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/report.h"

namespace assay::study {

struct StudyCheck {
    std::filesystem::path folder;
    /// One sentence for each problem: the database's integrity, invalid values, references to
    /// missing rows, files that differ from their record. Empty if all is well.
    std::vector<std::string> problems;
    bool competition = false;  ///< otherwise a folder of questions
};
/// "assay.mad_verify/1", "assay.labelling_verify/1".
Report report_of(const StudyCheck& check);

}  // namespace assay::study
