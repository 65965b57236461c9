// Other spellings of a classifier's classes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "assay/data/class_list.h"

namespace assay {

/// Finds classes by texts that ClassList::find does not know. Built once for a list; O(C) time.
class ClassAliases {
public:
    explicit ClassAliases(const ClassList& classes);
    /// The one class that is meant: by id or name with case, '_', '-' and blanks passed over; by
    /// one of the names in "a, b"; or because both mean the same ImageNet class (WordNet id, name
    /// or synonym). Nothing where no class is meant, or several are.
    std::optional<std::int32_t> find(std::string_view text) const;

private:
    std::unordered_map<std::string, std::int32_t> spelled_;       ///< -1: several classes
    std::unordered_map<std::string, std::int32_t> parts_;         ///< of names "a, b"
    std::unordered_map<std::int32_t, std::int32_t> of_imagenet_;  ///< ImageNet's class -> class
};

/// ClassList::find, then the aliases.
std::optional<std::int32_t> find_class(const ClassList& classes, const ClassAliases& aliases,
                                       std::string_view text);

}  // namespace assay
