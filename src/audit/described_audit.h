// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/audit/audit.h"
#include "assay/result_type.h"

namespace assay {

ResultType result_type(ResultOf<audit::SuspectLabel>);
ResultType result_type(ResultOf<audit::AmbiguousImage>);
ResultType result_type(ResultOf<audit::DuplicateImage>);
ResultType result_type(ResultOf<audit::DuplicateGroup>);
ResultType result_type(ResultOf<audit::AuditedModel>);
ResultType result_type(ResultOf<audit::CorrectedModel>);
ResultType result_type(ResultOf<audit::LabelAudit>);

}  // namespace assay
