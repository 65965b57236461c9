#include "described_results.h"

#include "evaluate/attack_examples.h"
#include "evaluate/cost_result.h"
#include "evaluate/results.h"
#include "store/results.h"
#include "patchml/results.h"
#include "quality/results.h"
#include "robustness/results.h"

namespace assay {

std::vector<ResultType> described_results() {
    // A line a schema, in the order of their names.
    // clang-format off
    return {
        result_type(ResultOf<ShownAttacks>{}),
        result_type(ResultOf<attack::ExamplesFile>{}),
        result_type(ResultOf<CheckResult>{}),
        result_type(ResultOf<CompareResult>{}),
        result_type(ResultOf<CostResult>{}),
        result_type(ResultOf<CorruptResult>{}),
        result_type(ResultOf<CorruptedAccuracyResult>{}),
        result_type(ResultOf<GapReport>{}),
        result_type(ResultOf<ImportReport>{}),
        result_type(ResultOf<JoinResult>{}),
        result_type(ResultOf<PredictedStores>{}),
        result_type(ResultOf<PatchmlResult>{}),
        result_type(ResultOf<quality::PeopleShapeBiasResult>{}),
        result_type(ResultOf<quality::ShownQuality>{}),
        result_type(ResultOf<quality::ChooseResult>{}),
        result_type(ResultOf<quality::CorrelateResult>{}),
        result_type(ResultOf<quality::GroupResult>{}),
        result_type(ResultOf<quality::QualityPlan>{}),
        result_type(ResultOf<quality::QubaResult>{}),
        result_type(ResultOf<quality::StabilityResult>{}),
        result_type(ResultOf<ShownScores>{}),
        result_type(ResultOf<ShowResult>{}),
        result_type(ResultOf<VerifyResult>{}),
    };
    // clang-format on
}

}  // namespace assay
