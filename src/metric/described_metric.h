// What is described of the results of this component (assay/describe_result.h).
#pragma once

#include "assay/metric/metric.h"
#include "assay/result_type.h"

namespace assay {

ResultType result_type(ResultOf<ParameterFacts>);
ResultType result_type(ResultOf<MetricFacts>);

}  // namespace assay
