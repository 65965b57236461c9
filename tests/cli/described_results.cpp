#include "described_results.h"

#include "evaluate/results.h"

namespace assay {

std::vector<ResultType> described_results() {
    // A line a schema, in the order of their names.
    return {
        result_type(ResultOf<CompareResult>{}),
        result_type(ResultOf<GapReport>{}),
        result_type(ResultOf<ShownScores>{}),
    };
}

}  // namespace assay
