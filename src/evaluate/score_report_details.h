// Tables of scores for people, beside those of the metrics: classes, bins, confusions, means over
// data sets, out-of-distribution detection.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/evaluate/score.h"
#include "assay/report.h"

namespace assay {

Table class_table(const ScoreReport& report);
Table reliability_table(const ScoreReport& report);
/// `kept`: as many as were asked for.
Table confusion_table(const ScoreReport& report, std::size_t kept);
/// A block of lines a model.
Table across_table(const std::vector<AcrossResult>& results);
/// A table for each pair of data sets.
std::vector<Block> ood_blocks(const std::vector<Measurement>& list);

}  // namespace assay
