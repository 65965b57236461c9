// Other spellings of a classifier's classes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "assay/data/class_list.h"

namespace assay {

/// Finds classes by texts that ClassList::find does not know. Build it once for a list, in O(C)
/// time.
class ClassAliases {
public:
    explicit ClassAliases(const ClassList& classes);
    /// Finds a class by id or name, ignoring case, '_', '-' and blanks. Else finds it by one of the
    /// names in "a, b". Else finds the class that means the same ImageNet class (WordNet id, name
    /// or synonym). Returns nothing if no class or several match.
    std::optional<std::int32_t> find(std::string_view text) const;

private:
    std::unordered_map<std::string, std::int32_t> spelled_;       ///< -1: several classes
    std::unordered_map<std::string, std::int32_t> parts_;         ///< parts of names such as "a, b"
    std::unordered_map<std::int32_t, std::int32_t> of_imagenet_;  ///< class by ImageNet's class
};

/// Tries ClassList::find first, then the aliases.
std::optional<std::int32_t> find_class(const ClassList& classes, const ClassAliases& aliases,
                                       std::string_view text);

}  // namespace assay
