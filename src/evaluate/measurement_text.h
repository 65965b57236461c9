// The names of measurements in the tables of reports, and tables that several reports share.
#pragma once

#include <span>
#include <string>

#include "assay/evaluate/gate.h"
#include "assay/metric/measurement.h"
#include "assay/report.h"

namespace assay {

/// Text such as "top1" or "ece (bins 20)", with the parameters that differ from the defaults, and
/// the variant if there are several.
std::string metric_text(const MeasurementKey& key);
/// The same with "%" if the value is shown in percent.
std::string metric_heading(const Measurement& m);
/// The key that distinguishes measurements of one model on one data set: the definition, the
/// parameters, the subgroup and the class. Equal keys share a column.
std::string column_key(const MeasurementKey& key);
/// True for a value for one number of labels per image, which separate tables show.
bool is_by_labels_per_image(const Measurement& m);

/// The name consists of the data set, the model, the subgroup if there is one, and the metric with
/// its parameters.
NamedValue named_value(const Measurement& m);

/// The outcomes of gates for reports.
std::vector<GateOutcome> outcomes_of(std::span<const GateResult> results);

}  // namespace assay
