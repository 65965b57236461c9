#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "core/file.h"
#include "message_of.h"
#include "temp_folder.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Decision = ClassMap::Decision;

std::filesystem::path shared_file(const char* name) {
    return std::filesystem::path(ASSAY_SOURCE_DIR) / "../shared/data/imagenet" / name;
}

std::map<std::int32_t, int> counts(const ClassMap& map) {
    std::map<std::int32_t, int> out;
    for (const std::int32_t t : map.target_of) ++out[t];
    return out;
}

TEST(ClassMaps, EveryBuiltInMapIsWellFormed) {
    for (const std::string& name : class_map_names()) {
        const ClassMap map = class_map_named(name, imagenet_classes());
        EXPECT_EQ(map.name, name);
        ASSERT_EQ(map.target_of.size(), 1000U) << name;
        auto reached = counts(map);
        reached.erase(-1);
        EXPECT_EQ(reached.size(), map.targets.size()) << name << ": some target has no class";
        EXPECT_GE(reached.begin()->first, 0);
        EXPECT_LT(reached.rbegin()->first, static_cast<std::int32_t>(map.targets.size()));
    }
}

// Counts of dog, bird, vehicle, reptile, carnivore, insect, instrument, primate, fish in the
// challenge's own map.
TEST(ClassMaps, In9) {
    const ClassMap map = class_map_named("in9", imagenet_classes());
    EXPECT_EQ(map.decision, Decision::map_argmax);
    const std::map<std::int32_t, int> expected = {{-1, 630}, {0, 116}, {1, 52}, {2, 42}, {3, 36},
                                                  {4, 35},   {5, 27},  {6, 26}, {7, 20}, {8, 16}};
    EXPECT_EQ(counts(map), expected);
    EXPECT_EQ(map.targets.find("02_wheeled vehicle"), 2);
    EXPECT_EQ(map.targets.find("primate"), 7);
    if (!std::filesystem::exists(shared_file("in9.json"))) GTEST_SKIP() << "no shared original";
    const auto original = nlohmann::json::parse(read_text(shared_file("in9.json")));
    EXPECT_EQ(original["index_to_in9"].get<std::vector<std::int32_t>>(), map.target_of);
    EXPECT_EQ(original["classes"].get<std::vector<std::string>>(), map.targets.names());
    EXPECT_EQ(original["folders"].get<std::vector<std::string>>(), map.targets.ids());
}

TEST(ClassMaps, Sixteen) {
    const ClassMap map = class_map_named("16-class", imagenet_classes());
    EXPECT_EQ(map.decision, Decision::mean_of_group);
    EXPECT_EQ(map.targets.size(), 16U);
    EXPECT_EQ(counts(map).at(-1), 1000 - 207);
    EXPECT_EQ(map.target_of[404], map.targets.find("airplane"));
    if (!std::filesystem::exists(shared_file("sixteen_class.json")))
        GTEST_SKIP() << "no shared original";
    const auto original = nlohmann::json::parse(read_text(shared_file("sixteen_class.json")));
    EXPECT_EQ(original["order"].get<std::vector<std::string>>(), map.targets.ids());
    std::vector<std::int32_t> target_of(1000, -1);
    for (const auto& [category, indices] : original["indices"].items()) {
        for (const int i : indices)
            target_of[static_cast<std::size_t>(i)] = map.targets.find(category).value();
    }
    EXPECT_EQ(target_of, map.target_of);
}

TEST(ClassMaps, TwoHundredOfImagenetAAndR) {
    for (const auto& [name, file] : {std::pair("imagenet-a", "imagenet_a_wnids.txt"),
                                     std::pair("imagenet-r", "imagenet_r_wnids.txt")}) {
        const ClassMap map = class_map_named(name, imagenet_classes());
        EXPECT_EQ(map.decision, Decision::restrict_);
        ASSERT_EQ(map.targets.size(), 200U);
        EXPECT_TRUE(std::is_sorted(map.targets.ids().begin(), map.targets.ids().end()));
        for (std::size_t c = 0; c < 1000; ++c) {
            if (map.target_of[c] >= 0) {
                EXPECT_EQ(map.targets.id(static_cast<std::size_t>(map.target_of[c])),
                          imagenet_classes().id(c));
            }
        }
        if (!std::filesystem::exists(shared_file(file))) GTEST_SKIP() << "no shared original";
        std::istringstream words(read_text(shared_file(file)));
        std::vector<std::string> original{std::istream_iterator<std::string>(words), {}};
        std::sort(original.begin(), original.end());
        EXPECT_EQ(original, map.targets.ids());
    }
}

TEST(ClassMaps, ModelsWithOtherOrderNumbersOrOtherClasses) {
    const ClassMap usual = class_map_named("in9", imagenet_classes());
    EXPECT_EQ(class_map_named("in9", numbered_classes(1000)).target_of, usual.target_of);
    std::vector<std::string> backwards = imagenet_classes().ids();
    std::reverse(backwards.begin(), backwards.end());
    auto expected = usual.target_of;
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(class_map_named("in9", ClassList(backwards)).target_of, expected);

    EXPECT_THAT(message_of([] { class_map_named("in9", numbered_classes(1001)); }),
                HasSubstr("The model has 1001 classes, but none of them is `n01440764` (tench)"));
    EXPECT_THAT(message_of([] { class_map_named("in9", ClassList({"n01440764"})); }),
                HasSubstr("none of them is `n01443537` (goldfish)"));
    EXPECT_THAT(message_of([] { class_map_named("in8", imagenet_classes()); }, ErrorCode::usage),
                HasSubstr("unknown class map `in8`"));
}

TEST(ClassMaps, FromFile) {
    const TempFolder folder;
    const ClassList model = numbered_classes(3);
    const auto path = folder.write(
        "m.json",
        R"({"decision": "mean_of_group", "classes": ["a", "b"], "target_of": [1, -1, 0]})");
    const ClassMap map = class_map_named(path.string(), model);
    EXPECT_EQ(map.name, "m");
    EXPECT_EQ(map.decision, Decision::mean_of_group);
    EXPECT_THAT(map.target_of, ElementsAre(1, -1, 0));
    const auto refused = [&](std::string_view text) {
        return message_of([&] { class_map_named(folder.write("x.json", text).string(), model); });
    };
    EXPECT_THAT(refused("[]"), HasSubstr("no class in the list"));
    EXPECT_THAT(refused(R"({"decision": "restrict", "target_of": [0, 0, 0]})"),
                HasSubstr("`classes` is missing"));
    EXPECT_THAT(refused(R"({"decision": "restrct", "classes": ["a"], "target_of": [0, 0, 0]})"),
                HasSubstr("did you mean `restrict`?"));
    EXPECT_THAT(refused(R"({"decision": "restrict", "classes": ["a"], "target_of": [0, 0]})"),
                HasSubstr("`target_of`: 2 numbers for 3 classes of the model"));
    EXPECT_THAT(refused(R"({"decision": "restrict", "classes": ["a"], "target_of": [0, 0, 1]})"),
                HasSubstr("`target_of[2]` is 1; allowed: a whole number from -1 to 0"));
    EXPECT_THAT(
        refused(
            R"({"decision": "restrict", "classes": ["a"], "target_of": [0, 0, 18446744073709551615]})"),
        HasSubstr("allowed: a whole number from -1 to 0"));
    EXPECT_THAT(refused(R"({"decision": "restrict", "classes": ["a"], "target_of": [0, 0, 0.0]})"),
                HasSubstr("allowed: a whole number from -1 to 0"));
    EXPECT_THAT(
        refused(R"({"decision": "restrict", "classes": ["a"], "target_of": [0, 0, 0], "x": 1})"),
        HasSubstr("unknown field `x`"));
    EXPECT_THAT(
        refused(
            R"({"decision": "restrict", "classes": ["a"], "target_of": [0, 0, 0], "name": null})"),
        HasSubstr("`name` is null; allowed: a text"));
}

// ImageNet-12k and -21k lack a few of the 1000 classes, so the map uses a list of the others.
TEST(ClassMaps, HeadsOfTwelveAndTwentyOneThousandClasses) {
    std::vector<std::string> ids = {"n00004475"}, others;
    for (const std::string& id : imagenet_classes().ids()) {
        if (id == "n04399382") continue;  // the class teddy is not in ImageNet-21k
        ids.push_back(id);
        others.push_back(id);
    }
    EXPECT_THAT(message_of([&] { class_map_named("imagenet-1k", ClassList(ids)); }),
                HasSubstr("1 of them is not among the model's 1000: n04399382"));
    const TempFolder folder;
    std::string text;
    for (const std::string& id : others) text += id + "\n";
    const ClassMap map = class_map_named(folder.write("others.txt", text).string(), ClassList(ids));
    EXPECT_EQ(map.targets.size(), 999U);
    EXPECT_EQ(map.target_of[0], -1);
    EXPECT_EQ(map.target_of[1], 0);
    // If the list only has numbers, the error says where to get the ids.
    for (const auto& [count, file] : {std::pair{11821, "imagenet12k_synsets.txt"},
                                      {21841, "imagenet22k_synsets.txt"},
                                      {21843, "imagenet21k_goog_synsets.txt"}}) {
        EXPECT_THAT(
            message_of([&, n = static_cast<std::size_t>(count)] {
                class_map_named("imagenet-1k", numbered_classes(n));
            }),
            AllOf(HasSubstr(std::string("timm/data/_info/") + file), HasSubstr("with --classes")));
    }
    EXPECT_THAT(message_of([&] { class_map_named("imagenet-1k", numbered_classes(500)); }),
                testing::Not(HasSubstr("timm")));
}

// A classifier of ImageNet-21k has ImageNet's classes among thousands of others.
TEST(ClassMaps, LargerHeadsByWordNetIdOrName) {
    std::vector<std::string> ids = {"n00004475", "n00005787"};
    ids.insert(ids.end(), imagenet_classes().ids().begin(), imagenet_classes().ids().end());
    ids.emplace_back("n15102894");
    const ClassMap map = class_map_named("imagenet-1k", ClassList(ids));
    EXPECT_EQ(map.decision, Decision::restrict_);
    EXPECT_EQ(map.targets.ids(), imagenet_classes().ids());
    EXPECT_EQ(map.target_of[0], -1);
    EXPECT_EQ(map.target_of[2], 0);
    EXPECT_EQ(map.target_of[1001], 999);
    EXPECT_EQ(map.target_of[1002], -1);
    ids[2] = "n00007846";  // the class tench is missing
    EXPECT_THAT(message_of([&] { class_map_named("imagenet-1k", ClassList(ids)); }),
                HasSubstr("needs 1000 of ImageNet's classes, but 1 of them is not among the "
                          "model's 1003: n01440764 (tench). To use the others"));
    EXPECT_THAT(message_of([&] { class_map_named("imagenette", ClassList(ids)); }),
                HasSubstr("tench"));
    EXPECT_EQ(class_map_named("imagewoof", ClassList(ids)).targets.size(), 10U);
    // A classifier whose classes have only names.
    const ClassList named({"junk", "English springer spaniel", "chute, parachute", "church",
                           "golf_ball", "gas pump", "tench, Tinca tinca", "chain saw, chainsaw",
                           "French horn", "cassette player", "dustcart"});
    EXPECT_THAT(class_map_named("imagenette", named).target_of,
                ElementsAre(-1, 1, 9, 4, 8, 7, 0, 3, 5, 2, 6));
}

TEST(ClassMaps, SubsetsThatAreBuiltIn) {
    EXPECT_EQ(class_map_named("imagenet-100", imagenet_classes()).targets.size(), 100U);
    EXPECT_EQ(class_map_named("imagenette", imagenet_classes()).targets.names(),
              (std::vector<std::string>{"tench", "English springer", "cassette player", "chain saw",
                                        "church", "French horn", "garbage truck", "gas pump",
                                        "golf ball", "parachute"}));
    EXPECT_EQ(class_map_named("imagewoof", imagenet_classes()).targets.name(9), "dingo");
}

TEST(ClassMaps, ListsOfClasses) {
    const TempFolder folder;
    const auto map = [&](const char* file, std::string_view text, const ClassList& model) {
        return class_map_named(folder.write(file, text).string(), model);
    };
    const ClassMap ids = map("three.txt", "n03126707\nn01440764\nn02012849\n", imagenet_classes());
    EXPECT_EQ(ids.name, "three");
    EXPECT_EQ(ids.decision, Decision::restrict_);
    EXPECT_THAT(ids.targets.ids(), ElementsAre("n03126707", "n01440764", "n02012849"));
    EXPECT_EQ(ids.target_of[0], 1);
    EXPECT_EQ(ids.target_of[134], 2);
    EXPECT_EQ(ids.target_of[517], 0);
    EXPECT_EQ(ids.target_of[1], -1);
    // Names, synonyms, other spellings and numbers, in text, csv and JSON.
    for (const auto& [file, text] : {std::pair{"a.txt", "Tinca tinca\nGolden_Retriever\n"},
                                     {"b.txt", "0\n207\n"},
                                     {"c.csv", "wnid\nn01440764\nn02099601\n"},
                                     {"d.json", R"(["tench, Tinca tinca", "golden retriever"])"}}) {
        const ClassMap same = map(file, text, imagenet_classes());
        EXPECT_EQ(same.target_of[0], 0) << text;
        EXPECT_EQ(same.target_of[207], 1) << text;
    }
    const ClassList mine({"red apple", "green apple", "pear"});
    EXPECT_THAT(map("e.txt", "pear\nred-apple\n", mine).target_of, ElementsAre(1, -1, 0));
    EXPECT_THAT(message_of([&] { map("f.txt", "pear\nplum\n", mine); }),
                HasSubstr("entry 2 `plum` is not one of the model's 3 classes"));
    EXPECT_THAT(message_of([&] { map("g.txt", "pear\nPear\n", mine); }),
                HasSubstr("entries 1 `pear` and 2 `Pear` are the same class"));
    // The map needs both cranes, and the list has the same name for them.
    EXPECT_THAT(
        message_of([&] { map("h.txt", "crane\ntench\n", imagenet_classes()); }),
        HasSubstr("entry 1 `crane` is not one of the model's 1000 classes, or is ambiguous"));
    EXPECT_THAT(message_of([&] { map("i.txt", "crane\ntench\ncrane\n", imagenet_classes()); }),
                HasSubstr("crane"));
}

}  // namespace
}  // namespace assay
