// Descriptions of the results about the program itself (assay/describe_result.h).
#pragma once

#include <optional>
#include <vector>

#include "assay/evaluate/about.h"
#include "assay/model/model_spec.h"
#include "assay/result_type.h"
#include "evaluate/listed.h"

namespace assay {

ResultType result_type(ResultOf<About>);
ResultType result_type(ResultOf<Listed>);

/// Schema `assay.predict.plan/1`.
struct PredictionPlan {
    std::span<const ModelSpec> models;
};
ResultType result_type(ResultOf<PredictionPlan>);

}  // namespace assay
