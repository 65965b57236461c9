// Stores that `assay attack` left beside those of the models.
#pragma once

#include <string>
#include <vector>

namespace assay::robustness {

/// Whether a store of this name is of an attack (MODEL@ATTACK-...) on one of the models.
bool is_of_an_attack(const std::string& name, const std::vector<std::string>& models);

}  // namespace assay::robustness
