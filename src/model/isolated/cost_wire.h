// Sends a ModelCost as several messages, because it may be too long for one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/model/cost.h"

namespace assay::isolated {

/// The parts in the order of sending.
std::vector<std::string> parts_of(const ModelCost& cost);

/// Assembles the parts as they arrive. They are checked like all data from a model's process: the
/// numbers of parts, operators and nodes are limited, and sums must not overflow.
class CostParts {
public:
    /// Returns true when the last part has arrived. Throws bad_input.
    bool take(std::string_view message);
    /// Returns the cost. Throws bad_input, also for an answer to another request than `asked`.
    ModelCost joined(const CostRequest& asked) const;

private:
    std::string bytes_;
};

}  // namespace assay::isolated
