// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include "assay/quality/choose.h"
#include "assay/quality/correlate.h"
#include "assay/quality/groups.h"
#include "assay/quality/quba.h"
#include "assay/quality/ranking.h"
#include "assay/quality/run.h"
#include "assay/quality/shape_bias_of_people.h"
#include "assay/result_type.h"
#include "evaluate/described_evaluate.h"
#include "quality/by_name.h"

namespace assay::quality {

ResultType result_type(ResultOf<DrawnCells>);
ResultType result_type(ResultOf<QubaResult>);
ResultType result_type(ResultOf<RankingResult>);
ResultType result_type(ResultOf<ChooseResult>);
ResultType result_type(ResultOf<CorrelateResult>);
ResultType result_type(ResultOf<GroupResult>);
ResultType result_type(ResultOf<PeopleShapeBiasResult>);
ResultType result_type(ResultOf<QualityPlan>);
ResultType result_type(ResultOf<StabilityResult>);

/// The errors and warnings of `assay check`.
std::vector<ShownFinding> found_faults(const std::vector<CheckedPair>& pairs);

/// A table of dimensions, with the additions of measurements and runs: "assay.quality/1".
struct ShownQuality {
    const QualityTable* table;
    const MeasuredQuality* measured = nullptr;
    const QualityRunResult* run = nullptr;
    const QubaResult* score = nullptr;  ///< for models with all dimensions
};
ResultType result_type(ResultOf<ShownQuality>);

/// The text for people about a result that is part of another result's JSON.
Report report_without_json(const MeasuredQuality& result);
Section section_of(const QubaResult& result);

/// Adds a csv column per name, with the number of each row's map. Rows without it have an empty
/// cell.
void add_named_columns(Table& table, const std::vector<std::string>& names, std::string_view prefix,
                       const std::vector<const std::map<std::string, double>*>& numbers);

}  // namespace assay::quality
