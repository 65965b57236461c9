// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/few_labels/drift.h"
#include "assay/few_labels/estimate.h"
#include "assay/result_type.h"

namespace assay {

ResultType result_type(ResultOf<few_labels::DrawnStratum>);
ResultType result_type(ResultOf<few_labels::DrawnSample>);
ResultType result_type(ResultOf<few_labels::EstimatedStratum>);
ResultType result_type(ResultOf<few_labels::EstimatedClassifier>);
ResultType result_type(ResultOf<few_labels::EstimatedPair>);
ResultType result_type(ResultOf<few_labels::EstimatedGroup>);
ResultType result_type(ResultOf<few_labels::EstimatedClass>);
ResultType result_type(ResultOf<few_labels::PoolEstimate>);
ResultType result_type(ResultOf<few_labels::ClassifierDrift>);
ResultType result_type(ResultOf<few_labels::DriftSign>);
ResultType result_type(ResultOf<few_labels::PoolDrift>);

}  // namespace assay
