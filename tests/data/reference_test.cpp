// Compares ImageNet's classes and those of other benchmarks with digests of the authors' files. So
// a clean clone checks every entry without these files.
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/data/class_list.h"

namespace assay {
namespace {

/// FNV-1a with 64 bits, which needs only a few lines in any language.
std::uint64_t digest(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return hash;
}

/// One entry per line, in decimal.
std::string lines(const std::vector<std::int32_t>& numbers) {
    std::string text;
    for (const std::int32_t number : numbers) text += std::to_string(number) + "\n";
    return text;
}

TEST(Reference, ImagenetsClasses) {
    std::string text;  // WordNet id and name
    const ClassList& classes = imagenet_classes();
    for (std::size_t c = 0; c < classes.size(); ++c)
        text += classes.id(c) + " " + classes.name(c) + "\n";
    EXPECT_EQ(digest(text), 0x8c27d5281c224692U);
}

TEST(Reference, NineClassesOfTheBackgroundsChallenge) {
    EXPECT_EQ(digest(lines(class_map_named("in9", imagenet_classes()).target_of)),
              0x13faacef224545d2U);
}

TEST(Reference, SixteenClassesOfModelVersusHuman) {
    const ClassMap map = class_map_named("16-class", imagenet_classes());
    EXPECT_TRUE(std::is_sorted(map.targets.ids().begin(), map.targets.ids().end()));
    EXPECT_EQ(digest(lines(map.target_of)), 0xb97a8d414a079f9cU);
}

TEST(Reference, TwoHundredOfImagenetAAndR) {
    for (const auto& [name, want] : {std::pair("imagenet-a", 0x63d9a731fd409a97U),
                                     std::pair("imagenet-r", 0x30abd5919de16e71U)}) {
        std::string text;  // WordNet ids in ascending order
        const ClassMap map = class_map_named(name, imagenet_classes());
        for (const std::string& id : map.targets.ids()) text += id + "\n";
        EXPECT_EQ(digest(text), want) << name;
    }
}

}  // namespace
}  // namespace assay
