// Models that are no independent observations of each other.
#pragma once

#include <string>
#include <vector>

#include "assay/quality/table.h"

namespace assay::quality {

/// Its place in table.tags (case and '_' do not matter). Throws usage: the table lacks it.
std::size_t tag_place(const QualityTable& table, const std::string& tag);

struct Families {
    std::vector<std::size_t> of;  ///< of each of the models, from 0
    std::size_t count = 0;
};
/// Models with the same value of the tag, in the order of their first ones; an empty value, or no
/// tag at all (""): a family of its own. Throws usage: a tag that the table lacks.
Families families_of(const QualityTable& table, const std::vector<std::size_t>& models,
                     const std::string& tag);

}  // namespace assay::quality
