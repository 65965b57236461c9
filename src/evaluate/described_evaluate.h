// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include <span>
#include <vector>

#include "assay/evaluate/attack.h"
#include "assay/evaluate/certify.h"
#include "assay/evaluate/check.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/gap.h"
#include "assay/evaluate/gate.h"
#include "assay/evaluate/group_accuracy.h"
#include "assay/evaluate/inspect.h"
#include "assay/evaluate/predict.h"
#include "assay/evaluate/published.h"
#include "assay/evaluate/score.h"
#include "assay/evaluate/show.h"
#include "assay/result_type.h"
#include "metric/measurement_result.h"

namespace assay {

ResultType result_type(ResultOf<DerivedStore>);
ResultType result_type(ResultOf<GatePoint>);
ResultType result_type(ResultOf<GateResult>);
ResultType result_type(ResultOf<GroupAccuracy>);
ResultType result_type(ResultOf<WithoutValue>);
ResultType result_type(ResultOf<AccuracyByGroup>);
ResultType result_type(ResultOf<PublishedValue>);

// The shown results of scores: `assay.scores/2` and, for each store, `assay.score/2`.
struct ShownStore {
    const ScoreReport* report;
    bool measurements = false, per_class = false, confusions = false;
};
struct ShownConfusion {
    const ScoreReport* report;
    Confusion confusion;
    bool valid = false;  ///< of ValidLabels: `truth` is a valid label, and not a single label

    const ClassResult& truth() const;
    const ClassResult* predicted() const;  ///< nullptr if it is not a class of the map
    /// Images whose label, or one of whose valid labels, is `truth`.
    std::uint64_t images() const;
};
struct ShownValidLabels {
    const ScoreReport* report;  ///< has valid_labels
};
/// Columns after those of the class.
struct ShownValidClass {
    const ValidClass* valid;  ///< nullptr if the store has no valid_labels
};
ResultType result_type(ResultOf<ShownValidClass>);
ResultType result_type(ResultOf<ValidClass>);
ResultType result_type(ResultOf<MissedLabels>);
ResultType result_type(ResultOf<ShownValidLabels>);
struct ShownScores {
    const ScoreResult* result;
    ScoreShown shown;
};
ResultType result_type(ResultOf<ClassResult>);
ResultType result_type(ResultOf<ReliabilityBin>);
ResultType result_type(ResultOf<ShownConfusion>);
ResultType result_type(ResultOf<ShownStore>);
ResultType result_type(ResultOf<AcrossResult>);
ResultType result_type(ResultOf<ShownScores>);

ResultType result_type(ResultOf<PairedMetric>);
ResultType result_type(ResultOf<ComparedByGroup>);
ResultType result_type(ResultOf<PairReport>);
ResultType result_type(ResultOf<CompareResult>);

ResultType result_type(ResultOf<GapReport>);

/// Schema `assay.attack/1`.
struct ShownAttacks {
    std::span<const AttackedResult> results;
    const AttackRunOptions* options;
    std::vector<SmallestPair> pairs;
};
ResultType result_type(ResultOf<SavedAttack>);
ResultType result_type(ResultOf<SmallestChanges>);
ResultType result_type(ResultOf<SmallestPair>);
ResultType result_type(ResultOf<TransferredAttack>);
ResultType result_type(ResultOf<ShownAttacks>);

/// Schema `assay.certify/1`.
struct CertifyResult {
    std::span<const CertifiedModel> results;
    const CertifyOptions* options;
};
ResultType result_type(ResultOf<CertifiedPoint>);
ResultType result_type(ResultOf<CertifiedModel>);
ResultType result_type(ResultOf<CertifyResult>);

struct ShownFinding {
    const CheckedPair* pair;
    const Finding* finding;
};
/// Schema `assay.check/1`.
struct CheckResult {
    std::vector<ShownFinding> findings;
};
ResultType result_type(ResultOf<ShownFinding>);
ResultType result_type(ResultOf<CheckResult>);

/// Schema `assay.inspect/1`.
ResultType result_type(ResultOf<InspectResult>);

/// Schema `assay.predict/1`.
struct PredictedStores {
    std::span<const PredictResult> stores;
};
ResultType result_type(ResultOf<PredictedStores>);

/// Schema `assay.show/1`.
struct ShowResult {
    std::span<const ShownImage> images;
};
ResultType result_type(ResultOf<ShowResult>);

}  // namespace assay
