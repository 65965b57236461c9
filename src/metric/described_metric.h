// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/metric/metric.h"
#include "assay/result_type.h"

namespace assay {

ResultType result_type(ResultOf<ParameterFacts>);
ResultType result_type(ResultOf<MetricFacts>);

}  // namespace assay
