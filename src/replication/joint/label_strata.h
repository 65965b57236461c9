// Images of a study by their number of valid labels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/replication/study.h"

namespace assay::replication {

struct LabelStrata {
    Study study;  ///< without images that are in no stratum
    /// By image of each set, 0 to names.size() - 1.
    std::vector<std::uint32_t> first, second;
    std::vector<std::string> names;
    std::vector<std::string> warnings;  ///< who was left out
    std::string undefined;              ///< "", or why there is no decomposition by these strata
};
/// See joint_decomposition().
LabelStrata label_strata(const Study& study, std::uint32_t pool_above);

}  // namespace assay::replication
