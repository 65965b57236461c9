#include "assay/data/class_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "message_of.h"
#include "temp_folder.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ClassList, Empty) {
    const ClassList none;
    EXPECT_EQ(none.size(), 0U);
    EXPECT_EQ(none.find("0"), std::nullopt);
    EXPECT_EQ(none.find(""), std::nullopt);
    EXPECT_EQ(none, ClassList(std::vector<std::string>{}));
    EXPECT_NE(none.fingerprint(), ClassList({"a"}).fingerprint());
}

TEST(ClassList, FindsByIdThenUniqueNameThenNumber) {
    const ClassList list({"n1", "n2", "n3", "crane"}, {"crane", "crane", "dog", "machine"});
    EXPECT_EQ(list.find("n2"), 1);
    EXPECT_EQ(list.find("dog"), 2);
    EXPECT_EQ(list.find("crane"), 3);  // an id is preferred to names
    EXPECT_EQ(list.find("3"), 3);
    EXPECT_EQ(list.find("003"), 3);
    EXPECT_EQ(list.find("4"), std::nullopt);
    EXPECT_EQ(list.find("-1"), std::nullopt);
    EXPECT_EQ(list.find("+1"), std::nullopt);
    EXPECT_EQ(list.find("1 "), std::nullopt);
    EXPECT_EQ(list.find("99999999999999999999"), std::nullopt);
    EXPECT_EQ(ClassList({"a", "b"}, {"x", "x"}).find("x"), std::nullopt);
}

TEST(ClassList, IdsThatAreNumbersAreNoPositions) {
    const ClassList list({"1", "10", "2"});
    EXPECT_EQ(list.find("10"), 1);
    EXPECT_EQ(list.find("2"), 2);
    EXPECT_EQ(list.find("0"), std::nullopt);  // next to ids, this name would be another class
    EXPECT_EQ(list.find("02"), 2);
    EXPECT_EQ(ClassList({"1", "10", "b"}).find("0"), 0);
}

TEST(ClassList, RefusesDuplicatesAndMismatch) {
    EXPECT_THAT(message_of([] {
                    ClassList({"a", "b", "a"});
                }),
                HasSubstr("`a` appears twice in the list (classes 0 and 2)"));
    EXPECT_THAT(message_of([] { ClassList({"a", ""}); }), HasSubstr("class 1 has an empty id"));
    EXPECT_THAT(message_of([] {
                    ClassList({"a", "b"}, {"x"});
                }),
                HasSubstr("1 class names for 2 classes"));
}

TEST(ClassList, FingerprintIsOfIdsAndOrder) {
    EXPECT_EQ(ClassList({"a", "b"}).fingerprint(), ClassList({"a", "b"}, {"x", "y"}).fingerprint());
    EXPECT_NE(ClassList({"a", "b"}).fingerprint(), ClassList({"b", "a"}).fingerprint());
    EXPECT_NE(ClassList({"ab", "c"}).fingerprint(), ClassList({"a", "bc"}).fingerprint());
}

TEST(ImagenetClasses, KnownEntries) {
    const ClassList& list = imagenet_classes();
    ASSERT_EQ(list.size(), 1000U);
    EXPECT_EQ(list.id(0), "n01440764");
    EXPECT_EQ(list.name(0), "tench");
    EXPECT_EQ(list.id(999), "n15075141");
    EXPECT_EQ(list.find("crane"), std::nullopt);  // the two classes are a bird and a machine
    EXPECT_TRUE(std::is_sorted(list.ids().begin(), list.ids().end()));
}

TEST(ImagenetClasses, EqualTheSharedTable) {
    const auto path =
        std::filesystem::path(ASSAY_SOURCE_DIR) / "../shared/data/imagenet/classes.csv";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    const std::string text = read_text(path);
    CsvReader reader(text, "classes.csv");
    std::size_t c = 0;
    for (; reader.next(); ++c) {
        ASSERT_EQ(reader[reader.column({"index"})], std::to_string(c));
        ASSERT_EQ(reader[reader.column({"wnid"})], imagenet_classes().id(c));
        ASSERT_EQ(reader[reader.column({"name"})], imagenet_classes().name(c));
    }
    EXPECT_EQ(c, 1000U);
    EXPECT_EQ(read_class_list(path), imagenet_classes());
}

TEST(ReadClassList, Lines) {
    const TempFolder folder;
    EXPECT_EQ(read_class_list(folder.write("a.txt", "cat\r\n\ndog, big\n")),
              ClassList({"cat", "dog, big"}));
    EXPECT_EQ(
        read_class_list(folder.write("b.txt", "n01440764 tench, Tinca tinca\nn01443537 goldfish")),
        ClassList({"n01440764", "n01443537"}, {"tench, Tinca tinca", "goldfish"}));
    EXPECT_EQ(read_class_list(folder.write("c.txt", "n01440764\nn01443537")),
              ClassList({"n01440764", "n01443537"}));
    // Repeated names cannot be ids.
    EXPECT_EQ(read_class_list(folder.write("d.txt", "crane\ndog\ncrane\n")),
              ClassList({"0", "1", "2"}, {"crane", "dog", "crane"}));
    EXPECT_THAT(message_of([&] { read_class_list(folder.write("e.txt", "\n\n")); }),
                HasSubstr("no class in the list (while reading the class list"));
}

TEST(ReadClassList, Csv) {
    const TempFolder folder;
    EXPECT_EQ(read_class_list(folder.write("a.csv", "wnid,name\nn1,cat\nn2,\"dog, big\"\n")),
              ClassList({"n1", "n2"}, {"cat", "dog, big"}));
    EXPECT_EQ(read_class_list(folder.write("b.csv", "index,id\n1,b\n0,a\n")),
              ClassList({"a", "b"}));
    EXPECT_EQ(read_class_list(folder.write("c.tsv", "name\tx\ncat\t1\n")), ClassList({"cat"}));
    EXPECT_THAT(message_of([&] { read_class_list(folder.write("d.csv", "x,y\n1,2\n")); }),
                HasSubstr("no column named wnid or id or name; columns: x, y"));
    EXPECT_THAT(message_of([&] { read_class_list(folder.write("e.csv", "index,id\n0,a\n2,b\n")); }),
                HasSubstr("number 1 is missing"));
    EXPECT_THAT(message_of([&] { read_class_list(folder.write("f.csv", "index,id\n0,a\n0,b\n")); }),
                HasSubstr("number 1 is followed by a second one"));
    EXPECT_THAT(message_of([&] { read_class_list(folder.write("g.csv", "index,id\nx,a\n")); }),
                HasSubstr("line 2: index `x` is not a number"));
}

TEST(ReadClassList, Json) {
    const TempFolder folder;
    const ClassList pair({"n1", "n2"}, {"cat", "dog"});
    EXPECT_EQ(
        read_class_list(folder.write("a.json", R"({"1": ["n2", "dog"], "0": ["n1", "cat"]})")),
        pair);
    EXPECT_EQ(read_class_list(folder.write("b.json", R"([["n1", "cat"], ["n2", "dog"]])")), pair);
    EXPECT_EQ(read_class_list(folder.write("c.json", R"(["cat", "dog"])")),
              ClassList({"cat", "dog"}));
    EXPECT_EQ(read_class_list(folder.write("d.json", R"({"n2": 1, "n1": 0})")),
              ClassList({"n1", "n2"}));
    EXPECT_EQ(read_class_list(folder.write("e.json", R"({"1": "dog", "0": "cat"})")),
              ClassList({"cat", "dog"}));
}

TEST(ReadClassList, OtherSpellingsOfTheSameList) {
    const TempFolder folder;
    const ClassList two({"ant", "bee, wasp"});
    for (const char* text :
         {"0 ant\n1 bee, wasp\n", "0: ant\n1: bee, wasp\n", "0,ant\n1,bee, wasp\n",
          "{0: 'ant',\n 1: 'bee, wasp'}", "{\n0: \"ant\",\n1: \"bee, wasp\",\n}\n"})
        EXPECT_EQ(read_class_list(folder.write("a.txt", text)), two) << text;
    // Numbers that are not consecutive are part of the names.
    EXPECT_EQ(read_class_list(folder.write("b.txt", "0 ant\n2 bee\n")),
              ClassList({"0 ant", "2 bee"}));
    EXPECT_EQ(read_class_list(folder.write("c.txt", "0\n1\n")), ClassList({"0", "1"}));
    EXPECT_EQ(read_class_list(folder.write(
                  "config.json", R"({"model_type": "vit", "hidden_size": 4, "depths": [[1]],
                                     "id2label": {"0": "ant", "1": "bee, wasp"}})")),
              two);
    EXPECT_EQ(read_class_list(folder.write("t.json", R"({"architecture": "resnet18",
                  "label_names": ["n01440764", "n01443537"], "pretrained_cfg": {"mean": [0, 0, 0]}})")),
              ClassList({"n01440764", "n01443537"}));
    // timm's descriptions are the names. A label without a description is its own name. The labels
    // may have numbers.
    const ClassList described({"n01440764", "x"}, {"tench, Tinca tinca", "x"});
    for (const char* labels : {R"(["n01440764", "x"])", R"({"1": "x", "0": "n01440764"})"})
        EXPECT_EQ(read_class_list(folder.write(
                      "t.json", std::string(R"({"architecture": "resnet18", "label_names": )") +
                                    labels + R"(, "label_descriptions": {"y": "z", "n01440764":
                                    "tench, Tinca tinca"}})")),
                  described)
            << labels;
    EXPECT_EQ(read_class_list(folder.write(
                  "labels.json", R"({"classes": ["ant", "bee, wasp"], "labels": {"a": 0}})")),
              two);
    EXPECT_EQ(read_class_list(folder.write("metadata.json",
                                           R"({"name": "pets", "classes": {"ground_truth": []},
                                               "default_classes": ["ant", "bee, wasp"]})")),
              two);
}

/// WordNet's names of the 1000 classes, as in most published lists.
std::vector<std::string> wordnet_names() {
    std::vector<std::string> names;
    for (const std::string& name : imagenet_classes().names()) names.push_back(name);
    return names;
}

TEST(NamedClasses, ImagenetsNamesGetWordNetIds) {
    std::vector<std::string> names = wordnet_names();  // "crane" and "maillot" appear twice
    EXPECT_EQ(named_classes(names).ids(), imagenet_classes().ids());
    EXPECT_EQ(named_classes(names).names(), names);
    names[0] = "tench, Tinca tinca";
    names[2] = "great_white_shark";
    names[134] = "crane bird";  // the name in CLIP
    EXPECT_EQ(named_classes(names).ids(), imagenet_classes().ids());
    // Two names are exchanged, so this is not the usual order. Because there are two cranes, the
    // order is ambiguous.
    std::swap(names[3], names[4]);
    EXPECT_EQ(named_classes(names).id(0), "0");  // "maillot" appears twice, so classes are numbers
    // All names are unambiguous, but in another order.
    names = wordnet_names();
    names[638] = "maillot";
    names[639] = "maillot, tank suit";
    names[134] = "n02012849";
    names[517] = "n03126707";
    std::reverse(names.begin(), names.end());
    EXPECT_EQ(named_classes(names).id(999), "n01440764");
    EXPECT_EQ(named_classes(names).id(999 - 134), "n02012849");
}

TEST(NamedClasses, OtherListsKeepTheirNames) {
    EXPECT_EQ(named_classes({"crane", "tench"}), ClassList({"crane", "tench"}));
    EXPECT_EQ(named_classes({"crane", "crane"}), ClassList({"0", "1"}, {"crane", "crane"}));
    EXPECT_THAT(message_of([] {
                    named_classes({"a", ""});
                }),
                HasSubstr("class 1 has an empty name"));
    std::vector<std::string> made(1000);
    for (std::size_t c = 0; c < made.size(); ++c) made[c] = "class " + std::to_string(c);
    EXPECT_EQ(named_classes(made).id(7), "class 7");
}

// The names in the list of the shared table, which has all synonyms.
TEST(NamedClasses, AllSynonymsOfTheSharedTable) {
    const std::filesystem::path path =
        std::filesystem::path(ASSAY_SOURCE_DIR) / "../shared/data/imagenet/classes.csv";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    const std::string text = read_text(path);
    CsvReader reader(text, "classes.csv");
    std::vector<std::string> names;
    while (reader.next()) names.emplace_back(reader[2]);
    ASSERT_EQ(names.size(), 1000U);
    EXPECT_EQ(named_classes(names).ids(), imagenet_classes().ids());
    std::reverse(names.begin(), names.end());
    // The two cranes are ambiguous, so the order is unknown, and the names stay.
    EXPECT_EQ(named_classes(names).id(0), "0");
}

TEST(ReadClassList, JsonRefused) {
    const TempFolder folder;
    const auto refused = [&](std::string_view text) {
        return message_of([&] { read_class_list(folder.write("x.json", text)); });
    };
    EXPECT_THAT(refused(""), HasSubstr("damaged JSON"));
    EXPECT_THAT(refused("[\"a\", \"b\""), HasSubstr("damaged JSON"));
    EXPECT_THAT(refused("3"), HasSubstr("must be a JSON array or object"));
    EXPECT_THAT(refused("[1.5]"),
                HasSubstr("a class must be \"name\" or [\"id\", \"name\"], not 1.5"));
    EXPECT_THAT(refused("{\"a\": -1}"), HasSubstr("class `a` has the number -1"));
    EXPECT_THAT(refused("{\"a\": 0, \"a\": 1}"), HasSubstr("key `a` appears twice"));
    EXPECT_THAT(refused("{\"0\": \"a\", \"2\": \"b\"}"), HasSubstr("number 1 is missing"));
    EXPECT_THAT(refused("{\"a\": 18446744073709551615}"), HasSubstr("too large"));
    EXPECT_THAT(refused(std::string(100'000, '[')), HasSubstr("nested deeper than 16 levels"));
}

TEST(ClassList, PlacesInAnotherOrder) {
    const ClassList one({"n1", "n2", "n3"}, {"tench", "crane", "crane"});
    using Places = std::vector<std::int32_t>;
    EXPECT_EQ(places_in(ClassList({"n3", "n1", "n2"}), one), (Places{1, 2, 0}));
    EXPECT_EQ(places_in(one, one), (Places{0, 1, 2}));
    // Classes are matched by name if it is unique, in both directions.
    EXPECT_EQ(places_in(ClassList({"n2", "tench", "n3"}), one), (Places{1, 0, 2}));
    EXPECT_EQ(places_in(one, ClassList({"n2", "tench", "n3"})), (Places{1, 0, 2}));
    // Two classes have this name, and one of them has it as its id.
    EXPECT_EQ(places_in(ClassList({"crane", "n1", "n2"}), one), (Places{1, 2, 0}));
    EXPECT_FALSE(places_in(ClassList({"n1", "crane", "heron"}), one));
    EXPECT_FALSE(places_in(ClassList({"n1", "n2"}), one));
    // A number is a position, not a name.
    EXPECT_FALSE(places_in(one, ClassList({"0", "1", "2"})));
    EXPECT_EQ(first_difference(one, ClassList({"n1", "n3", "n2"})), "class 1 is `n2` and `n3`");
    EXPECT_EQ(first_difference(one, ClassList({"n1", "n2"})), "3 and 2 classes");
    EXPECT_EQ(first_difference(one, ClassList({"n1", "n2", "n3"})), "");
}

}  // namespace
}  // namespace assay
