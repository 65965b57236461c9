// Class maps of classifiers that may have other classes than ImageNet's.
#pragma once

#include <optional>
#include <string_view>

#include "assay/data/class_list.h"

namespace assay::quality {

/// The built-in map, or nothing if it does not find ImageNet's classes among `classes`.
std::optional<ClassMap> map_of_imagenet(std::string_view map, const ClassList& classes);

}  // namespace assay::quality
