// Orders of classes that occur in practice, other than the given one.
#pragma once

#include <vector>

#include "evaluate/check/check_parts.h"

namespace assay::checks {

struct OtherOrders {
    std::vector<Rival> rivals;
    std::vector<ClassOfOutput> orders;  ///< one order for each rival
};
/// Returns orders that differ from the given one and from one another.
OtherOrders other_orders(const Scores& scores, const Sample& sample, const Dataset& dataset);

}  // namespace assay::checks
