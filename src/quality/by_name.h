// Values of the nine dimensions as results hold them: by the dimensions' names.
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
/// Those that are there.
template <class T>
std::map<std::string, T> by_name(const PerDimension<std::optional<T>>& values) {
    std::map<std::string, T> out;
    for (const DimensionFacts& facts : dimension_facts()) {
        if (const auto& value = values[static_cast<std::size_t>(facts.dimension)])
            out.emplace(facts.name, *value);
    }
    return out;
}

/// ",part_accuracy=parts.accuracy,...": a column of csv for each dimension. They are called by
/// `prefix` and the name, and `place` is where by_name() stands.
std::string dimension_columns(std::string_view prefix, std::string_view place);

}  // namespace assay::quality
