// Descriptions of this component's results (assay/describe_result.h).
#pragma once

#include <span>

#include "assay/result_type.h"
#include "assay/store/import.h"
#include "assay/store/join.h"
#include "assay/store/relabel.h"
#include "assay/store/verify.h"

namespace assay {

ResultType result_type(ResultOf<ImportReport>);

/// Schema `assay.join/1`.
struct JoinResult {
    std::span<const JoinedStore> stores;
};
ResultType result_type(ResultOf<JoinResult>);

/// Schema `assay.relabel/1`.
struct RelabelResult {
    std::span<const RelabelledData> datasets;
};
ResultType result_type(ResultOf<RelabelResult>);

/// Schema `assay.verify/1`.
struct VerifyResult {
    std::span<const StoreCheck> stores;
};
ResultType result_type(ResultOf<VerifyResult>);

}  // namespace assay
