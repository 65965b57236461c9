// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/patchml/patchml.h"
#include "assay/result_type.h"

namespace assay {

ResultType result_type(ResultOf<PatchmlResult>);

}  // namespace assay
