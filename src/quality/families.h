// Families of models that are not independent observations.
#pragma once

#include <string>
#include <vector>

#include "assay/quality/table.h"

namespace assay::quality {

/// Its index in table.tags (case and '_' do not matter). Throws usage if the table lacks it.
std::size_t tag_place(const QualityTable& table, const std::string& tag);

struct Families {
    std::vector<std::size_t> of;  ///< family of each of the models, from 0
    std::size_t count = 0;
};
/// Groups models with the same value of the tag, in the order of their first models. An empty
/// value, or no tag at all (""), makes a model its own family. Throws usage for a tag that the
/// table lacks.
Families families_of(const QualityTable& table, const std::vector<std::size_t>& models,
                     const std::string& tag);

}  // namespace assay::quality
