// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/result_type.h"
#include "assay/robustness/corrupt_dataset.h"
#include "assay/robustness/corrupted_accuracy.h"

namespace assay {

ResultType result_type(ResultOf<CorruptResult>);
ResultType result_type(ResultOf<CorruptedAccuracyResult>);

}  // namespace assay
