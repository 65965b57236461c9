// The attributes of a data set by name.
#pragma once

#include <string_view>

#include "assay/data/dataset.h"

namespace assay {

/// The first attribute of this name; nullptr where there is none.
inline const Dataset::Attribute* find_attribute(const Dataset& dataset, std::string_view name) {
    for (const Dataset::Attribute& attribute : dataset.attributes) {
        if (attribute.name == name) return &attribute;
    }
    return nullptr;
}

}  // namespace assay
