// What a text means among ImageNet's 1000 classes: WordNet id, name, synonym, or several of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The classes (0..999, ascending) that a text may mean; none when it means none of them. In this
/// order, the first that fits: a WordNet id; all synonyms as WordNet lists them ("tench, Tinca
/// tinca"); the first synonym; any synonym; and of "a, b" the classes that all parts allow. Case,
/// '_', '-' and blanks do not matter, but where two classes differ by case alone ("Cardigan" the
/// dog, "cardigan") the case decides.
std::vector<std::int32_t> imagenet_meanings(std::string_view text);

/// The same where only one class is meant.
std::optional<std::int32_t> imagenet_meaning(std::string_view text);

/// For 1000 names the ImageNet class of each, or nothing where they are not ImageNet's classes:
/// at least half of the names mean the class at their own place, and none is out of its place
/// (lists that call some classes otherwise, as CLIP's does, but keep the usual order); or each name
/// means a class of its own, in whatever order.
std::optional<std::vector<std::int32_t>> as_imagenet(const std::vector<std::string>& names);

/// Where the WordNet ids of a head of so many classes are published: ImageNet-12k, -21k, -22k in
/// timm's orders, which are not built in; a sentence behind a semicolon, "" for other numbers.
std::string published_list(std::size_t classes);

}  // namespace assay
