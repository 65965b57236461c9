// A ModelCost as messages: it may be longer than one is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/model/cost.h"

namespace assay::isolated {

/// In the order in which they are sent.
std::vector<std::string> parts_of(const ModelCost& cost);

/// Puts the parts together as they come. Like all that a model's process sends they are held
/// against what is allowed: so many parts, operators and nodes, and sums that cannot overflow.
class CostParts {
public:
    /// True once the last has come. Throws bad_input.
    bool take(std::string_view message);
    /// Throws bad_input, for an answer to something else than `asked`, too.
    ModelCost joined(const CostRequest& asked) const;

private:
    std::string bytes_;
};

}  // namespace assay::isolated
