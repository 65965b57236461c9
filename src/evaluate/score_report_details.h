// Tables of scores for people, in addition to those of the metrics: classes, bins, confusions,
// means over data sets, out-of-distribution detection.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/evaluate/score.h"
#include "assay/report.h"

namespace assay {

Table class_table(const ScoreReport& report);
/// Require report.valid_labels.
Table valid_class_table(const ScoreReport& report);
Table missed_labels_table(const ScoreReport& report);
Table reliability_table(const ScoreReport& report);
/// Those of valid labels if they were measured.
const std::vector<Confusion>& listed_confusions(const ScoreReport& report);
/// `kept` is the requested number.
Table confusion_table(const ScoreReport& report, std::size_t kept);
/// Shows one block of lines per model.
Table across_table(const std::vector<AcrossResult>& results);
/// Shows one table for each pair of data sets.
std::vector<Block> ood_blocks(const std::vector<Measurement>& list);

}  // namespace assay
