// Schema `assay.cost/1`. The csv has a row per model.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "assay/evaluate/cost.h"
#include "assay/result_type.h"

namespace assay {

struct ShownCost {
    const ClassifierCost* classifier;
    const CostOptions* options;
};
struct CostResult {
    std::vector<ShownCost> models;
    std::vector<std::string> warnings;
};
ResultType result_type(ResultOf<ShownCost>);
ResultType result_type(ResultOf<CostResult>);

/// Kinds of operators whose elements are counted separately.
inline constexpr std::array cost_kinds_apart = {OperatorKind::elementwise,
                                                OperatorKind::normalisation, OperatorKind::softmax,
                                                OperatorKind::pooling};
double cost_per_image(const ModelCost& cost, std::uint64_t of_batch);
/// The operators without a rule: "aten::foo (3 calls)", ...
std::string unknown_operators(const ModelCost& cost);

}  // namespace assay
