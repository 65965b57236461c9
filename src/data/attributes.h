// Attributes of a data set by name, and attributes of an item.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/result_type.h"

namespace assay {

/// The first attribute with this name, or nullptr if there is none.
inline const Dataset::Attribute* find_attribute(const Dataset& dataset, std::string_view name) {
    for (const Dataset::Attribute& attribute : dataset.attributes) {
        if (attribute.name == name) return &attribute;
    }
    return nullptr;
}

/// An attribute of an item, for csv with a column for each attribute.
struct AttributeValue {
    std::string_view name, value;
};
ResultType result_type(ResultOf<AttributeValue>);
/// The attributes of an item. The data set must outlive them.
std::vector<AttributeValue> attributes_of(const Dataset& dataset, std::size_t item);
/// The names of the attributes, without values.
std::vector<AttributeValue> attribute_names(const Dataset& dataset);

}  // namespace assay
