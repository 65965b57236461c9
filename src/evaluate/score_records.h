// Converts scores to flat tables for CSV.
#pragma once

#include <span>

#include "assay/evaluate/score.h"
#include "assay/report.h"

namespace assay {

/// Writes one line per measurement.
Table measurement_records(std::span<const ScoreReport> reports,
                          std::span<const Measurement> more = {});
/// Writes one line per class.
Table class_records(std::span<const ScoreReport> reports);
/// Writes one line per confusion.
Table confusion_records(std::span<const ScoreReport> reports);
/// Writes one line per bin.
Table reliability_records(std::span<const ScoreReport> reports);

}  // namespace assay
