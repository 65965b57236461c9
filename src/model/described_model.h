// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/model/classifier.h"
#include "assay/model/libtorch.h"
#include "assay/model/model_spec.h"
#include "assay/result_type.h"

namespace assay {

ResultType result_type(ResultOf<FrameworkFile>);
ResultType result_type(ResultOf<ModelSpec>);
ResultType result_type(ResultOf<TorchState>);

}  // namespace assay
