// Descriptions for `assay.eval/1`.
#pragma once

#include "assay/evaluate/eval.h"
#include "assay/result_type.h"

namespace assay {

ResultType result_type(ResultOf<PreprocessingWay>);
ResultType result_type(ResultOf<PreprocessingChoice>);
ResultType result_type(ResultOf<DoubtedLabel>);
ResultType result_type(ResultOf<UnsureItem>);
ResultType result_type(ResultOf<EvaluatedModel>);
ResultType result_type(ResultOf<EvalResult>);

}  // namespace assay
