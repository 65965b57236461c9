// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/derived/calibrate.h"
#include "assay/derived/ensemble.h"
#include "assay/result_type.h"

namespace assay {

/// Schema `assay.layer/1`.
struct CalibrationLayer {
    const CalibratedStore* store;
};
ResultType result_type(ResultOf<ClassScaling>);
ResultType result_type(ResultOf<CalibratedStore>);
ResultType result_type(ResultOf<CalibrateResult>);
ResultType result_type(ResultOf<CalibrationLayer>);
ResultType result_type(ResultOf<EnsembleMember>);
ResultType result_type(ResultOf<EnsembleStore>);

}  // namespace assay
