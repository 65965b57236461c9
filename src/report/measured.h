// Scores of the stores of one data set, and the comparison of each column's best model with the
// others.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/collective/comm.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/score.h"
#include "assay/report/document.h"
#include "report/described_report.h"
#include "report/said.h"
#include "report/store_groups.h"

namespace assay {

/// Measures the stores one by one as `assay score` does, with the names of the group. Returns
/// nothing if the labels in the options are not for this data set and there are others (`several`).
std::optional<ScoreResult> score_group(const StoreGroup& group, const ReportOptions& options,
                                       bool several, Comm& comm, const ProgressCallback& progress,
                                       Said& said);

/// "assay.scores/2" with confusions and reliability; with estimates of the classes as long as
/// `classes_left`, which is counted down, allows for a model's.
nlohmann::json scores_json(const StoreGroup& group, const ScoreResult& scores,
                           std::size_t confusions, std::size_t& classes_left, Said& said);

struct BestOfGroup {
    std::vector<ColumnBest> columns;
    /// Compares the best by the first column (top-1 if measured) with all others in pairs.
    std::optional<CompareResult> comparison;
    /// Places of the stores, the best by that column first. Stores without a value are last.
    std::vector<std::size_t> order;
};

/// Finds, for each column in which one direction is better, the best model and those that it cannot
/// be told from. The paired test of the column's metric decides. The verdict on those others is not
/// "worse", at the level of the intervals and after Holm's correction over all others. Models that
/// could not be tested are named with the reason.
BestOfGroup best_of_group(const StoreGroup& group, const ScoreResult& scores,
                          const ReportOptions& options, Comm& comm,
                          const ProgressCallback& progress, Said& said);

}  // namespace assay
