// Values of the nine dimensions in results, keyed by the dimensions' names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "assay/quality/dimension.h"

namespace assay::quality {

inline std::string_view name_of(Dimension dimension) {
    return facts_of(dimension).name;
}

template <class T>
std::map<std::string, T> by_name(const PerDimension<T>& values) {
    std::map<std::string, T> out;
    for (const DimensionFacts& facts : dimension_facts())
        out.emplace(facts.name, values[static_cast<std::size_t>(facts.dimension)]);
    return out;
}
/// The dimensions that have a value.
template <class T>
std::map<std::string, T> by_name(const PerDimension<std::optional<T>>& values) {
    std::map<std::string, T> out;
    for (const DimensionFacts& facts : dimension_facts()) {
        if (const auto& value = values[static_cast<std::size_t>(facts.dimension)])
            out.emplace(facts.name, *value);
    }
    return out;
}

/// Makes a csv column per dimension: ",part_accuracy=parts.accuracy,...". Columns are named
/// `prefix` plus the dimension's name, and `place` is the place of by_name().
std::string dimension_columns(std::string_view prefix, std::string_view place);

}  // namespace assay::quality
