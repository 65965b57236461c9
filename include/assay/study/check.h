// The findings of `assay verify` about a study.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/report.h"

namespace assay::study {

struct StudyCheck {
    std::filesystem::path folder;
    /// One sentence per problem: in the database's integrity, invalid values, references to missing
    /// rows, files that differ from their record.
    std::vector<std::string> problems;
    bool competition = false;  ///< otherwise a folder of questions
};
/// Schema "assay.mad_verify/1" or "assay.labelling_verify/1".
Report report_of(const StudyCheck& check);

}  // namespace assay::study
