// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/result_type.h"
#include "assay/study/check.h"

namespace assay::study {

/// Schema `assay.mad_verify/1`.
struct CompetitionCheck {
    const StudyCheck* check;
};
/// Schema `assay.labelling_verify/1`.
struct FolderCheck {
    const StudyCheck* check;
};
ResultType result_type(ResultOf<CompetitionCheck>);
ResultType result_type(ResultOf<FolderCheck>);

}  // namespace assay::study
