// The meaning of a text in ImageNet's 1000 classes: WordNet id, name, synonym, or several of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The classes (0..999, ascending) that a text may mean; empty if it means none. The first match in
/// this order counts: a WordNet id; all synonyms as WordNet lists them ("tench, Tinca tinca"); the
/// first synonym; any synonym. Last, "a, b" means the classes that all parts allow. Case, '_', '-'
/// and blanks do not matter, except for classes that differ only in case ("Cardigan" is a dog,
/// "cardigan" is not).
std::vector<std::int32_t> imagenet_meanings(std::string_view text);

/// The same, but only if exactly one class matches.
std::optional<std::int32_t> imagenet_meaning(std::string_view text);

/// For 1000 names, the ImageNet class of each, or nothing if they are not ImageNet's classes.
/// Either at least half of the names mean the class at their own position, and none is out of
/// place. This accepts lists in the usual order that give some classes other names, as CLIP's does.
/// Or each name means a class of its own, in any order.
std::optional<std::vector<std::int32_t>> as_imagenet(const std::vector<std::string>& names);

/// The source of the WordNet ids of a head with this many classes: ImageNet-12k, -21k, -22k in
/// timm's orders, which are not built in. A sentence after a semicolon, or "" for other numbers.
std::string published_list(std::size_t classes);

}  // namespace assay
