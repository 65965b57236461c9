// Scores as flat tables: what CSV holds.
#pragma once

#include <span>

#include "assay/evaluate/score.h"
#include "assay/report.h"

namespace assay {

/// A line a measurement.
Table measurement_records(std::span<const ScoreReport> reports,
                          std::span<const Measurement> more = {});
/// A line a class.
Table class_records(std::span<const ScoreReport> reports);
/// A line a confusion.
Table confusion_records(std::span<const ScoreReport> reports);
/// A line a bin.
Table reliability_records(std::span<const ScoreReport> reports);

}  // namespace assay
