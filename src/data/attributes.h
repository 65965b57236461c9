// The attributes of a data set by name, those of an item, and images grouped by their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
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
/// The same, but throws usage if there is none, with the nearest name or the source of attributes.
const Dataset::Attribute& attribute_named(const Dataset& dataset, std::string_view name);

/// An attribute of an item, for a csv with a column per attribute.
struct AttributeValue {
    std::string_view name, value;
};
ResultType result_type(ResultOf<AttributeValue>);
/// The attributes of an item. The data set must outlive them.
std::vector<AttributeValue> attributes_of(const Dataset& dataset, std::size_t item);
/// The names of the attributes, without values.
std::vector<AttributeValue> attribute_names(const Dataset& dataset);

/// Items grouped by the values of attributes.
struct AttributeGroups {
    static constexpr std::int32_t none = -1;
    std::vector<std::string> names;  ///< "sex=f,camera=2", in byte order of the values
    std::vector<std::int32_t> of;    ///< group of each item; -1 (none) if it lacks a value
    std::uint64_t without = 0;       ///< items that lack a value
};
/// One group for each combination of values that occurs. `attributes` must not be empty. An empty
/// value counts as missing. Throws usage as attribute_named(), and for a repeated attribute or more
/// than `most` groups. Cost: one hash per item and attribute. Memory: 8 bytes per item.
AttributeGroups groups_by(const Dataset& dataset, std::span<const std::string> attributes,
                          std::size_t most);

}  // namespace assay
