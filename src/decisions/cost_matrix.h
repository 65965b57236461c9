// Costs of decisions, from a csv file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"

namespace assay::decisions {

/// The decision that is no class.
inline constexpr std::string_view abstain_decision = "abstain";

/// Costs of each decision about images of each class.
struct CostMatrix {
    std::vector<std::string> decisions;  ///< ids of classes, in the order of the file; "abstain"
    std::vector<std::size_t> of_class;   ///< the decision for each class
    std::vector<double> costs;           ///< classes x decisions
    bool abstains = false;
    double low = 0, high = 0;  ///< of all costs
    double widest = 0;         ///< largest difference of two costs of one class

    double at(std::size_t truth, std::size_t decision) const {
        return costs[truth * decisions.size() + decision];
    }
};

/// The first column has the true class, and every other column is headed by a decision: a class, or
/// `abstain`. Every class has one row and one column. Throws bad_input with the line and the
/// column: a name that is no class, a class twice or not at all, a cell that is no number, and
/// costs that are all equal.
CostMatrix read_costs(const std::filesystem::path& file, const ClassList& classes);

}  // namespace assay::decisions
