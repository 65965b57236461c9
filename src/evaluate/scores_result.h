// What is shown of scores: `assay.scores/2` and, for each store, `assay.score/2`.
#pragma once

#include "assay/evaluate/score.h"
#include "assay/result_type.h"

namespace assay {

struct ShownStore {
    const ScoreReport* report;
    bool measurements = false, per_class = false, confusions = false;
};
struct ShownConfusion {
    const ScoreReport* report;
    Confusion confusion;

    const ClassResult& truth() const;
    const ClassResult* predicted() const;  ///< nullptr: no class of the map
};
struct ShownScores {
    const ScoreResult* result;
    ScoreShown shown;
};
ResultType result_type(ResultOf<ClassResult>);
ResultType result_type(ResultOf<ReliabilityBin>);
ResultType result_type(ResultOf<ShownConfusion>);
ResultType result_type(ResultOf<ShownStore>);
ResultType result_type(ResultOf<ShownScores>);

}  // namespace assay
