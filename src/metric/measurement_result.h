// Measurements in the form of results.
#pragma once

#include "assay/metric/measurement.h"
#include "assay/result_type.h"

namespace assay {

ResultType result_type(ResultOf<MeasurementKey>);
ResultType result_type(ResultOf<CalibratedNull>);
ResultType result_type(ResultOf<Measurement>);

}  // namespace assay
