// The attributes of a data set by name, and those of an item.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/result_type.h"

namespace assay {

/// The first attribute of this name; nullptr where there is none.
inline const Dataset::Attribute* find_attribute(const Dataset& dataset, std::string_view name) {
    for (const Dataset::Attribute& attribute : dataset.attributes) {
        if (attribute.name == name) return &attribute;
    }
    return nullptr;
}

/// One of an item, for csv with a column for each.
struct AttributeValue {
    std::string_view name, value;
};
ResultType result_type(ResultOf<AttributeValue>);
/// Those of an item, which the data set outlives.
std::vector<AttributeValue> attributes_of(const Dataset& dataset, std::size_t item);
/// Their names, without values.
std::vector<AttributeValue> attribute_names(const Dataset& dataset);

}  // namespace assay
