// How measurements are named in the tables of reports, and the tables that several reports have.
#pragma once

#include <span>
#include <string>

#include "assay/evaluate/gate.h"
#include "assay/metric/measurement.h"
#include "assay/report.h"

namespace assay {

/// "top1", "ece (bins 20)": with the parameters that differ from the defaults, and the variant
/// where there are several.
std::string metric_text(const MeasurementKey& key);
/// The same with "%" where people read the value in percent.
std::string metric_heading(const Measurement& m);
/// What tells measurements of one model on one data set apart: the definition, the parameters, the
/// subgroup and the class. Equal keys stand in one column.
std::string column_key(const MeasurementKey& key);
/// Of one number of labels per image: such values have tables of their own.
bool is_by_labels_per_image(const Measurement& m);

/// Under the data set, the model, the subgroup where it is of one, and the metric with its
/// parameters.
NamedValue named_value(const Measurement& m);

/// What reports say of gates.
std::vector<GateOutcome> outcomes_of(std::span<const GateResult> results);

}  // namespace assay
