// Orders of classes that occur in practice, other than the given one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evaluate/check/check_parts.h"

namespace assay::checks {

struct UsualOrder {
    std::string name, advice;
    ClassOfOutput order;
    bool by_names = false;  ///< the ids or names of the classes, sorted
};
/// Returns orders of `outputs` outputs that differ from the given one and from one another. Needs
/// no scores. Cost: sorts the ids and names of the classes, and reads the labels once.
std::vector<UsualOrder> usual_orders(std::size_t outputs, const Dataset& dataset);

struct OtherOrders {
    std::vector<Rival> rivals;
    std::vector<ClassOfOutput> orders;  ///< one order for each rival
};
/// usual_orders(), with the outcomes of the sample under each.
OtherOrders other_orders(const Scores& scores, const Sample& sample, const Dataset& dataset);

}  // namespace assay::checks
