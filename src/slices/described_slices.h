// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/result_type.h"
#include "assay/slices/slices.h"

namespace assay {

ResultType result_type(ResultOf<slices::SliceFacet>);
ResultType result_type(ResultOf<slices::SliceCondition>);
ResultType result_type(ResultOf<slices::FoundSlice>);
ResultType result_type(ResultOf<slices::SlicedModel>);
ResultType result_type(ResultOf<slices::SliceResult>);

}  // namespace assay
