// Definitions of labels for annotators, from files and from WordNet. Some files are refused.
#include "labelling/class_definitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/data/class_list.h"
#include "core/file.h"
#include "data/imagenet_definitions.h"
#include "message_of.h"
#include "scratch.h"

namespace assay::labelling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Definitions : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& text) {
        write_file_atomically(scratch_ / name, text);
        return scratch_ / name;
    }
    /// The definitions of the labels cat and dog.
    std::vector<LabelText> of(const std::string& name, const std::string& text) {
        return label_texts({"cat", "dog"}, {}, write(name, text));
    }
    std::string refused(const std::string& name, const std::string& text) {
        return message_of([&] { of(name, text); });
    }
    Scratch scratch_;
};

TEST_F(Definitions, WordNetKnowsEveryImagenetClass) {
    ASSERT_EQ(imagenet_definitions().size(), 1000U);
    for (const std::string& definition : imagenet_definitions()) {
        EXPECT_GE(definition.size(), 10U) << definition;
        EXPECT_EQ(definition.find('"'), std::string::npos) << definition;
    }
    const auto texts = label_texts(imagenet_classes().ids(), imagenet_classes().names(), {});
    EXPECT_EQ(texts[0].name, "tench");
    EXPECT_EQ(texts[0].definition,
              "freshwater dace-like game fish of Europe and western Asia noted for ability to "
              "survive outside water");
    EXPECT_THAT(texts[0].synonyms, ElementsAre("Tinca tinca"));
}

TEST_F(Definitions, TwoClassesOfOneNameAreToldApart) {
    // The two cranes have different definitions, so nothing is added. Without definitions, ids are
    // added.
    const auto cranes = label_texts({"n02012849", "n03126707"}, {}, {});
    EXPECT_EQ(cranes[0].name, "crane");
    EXPECT_EQ(cranes[1].name, "crane");
    EXPECT_NE(cranes[0].definition, cranes[1].definition);
    const auto plain = label_texts({"c1", "c2", "c3"}, {"crane", "crane", "cat"}, {});
    EXPECT_EQ(plain[0].name, "crane (c1)");
    EXPECT_EQ(plain[1].name, "crane (c2)");
    EXPECT_EQ(plain[2].name, "cat");
}

TEST_F(Definitions, NamesAloneAreNotImagenetsClasses) {
    // A mouse is a pointing device in ImageNet, and an animal in WordNet's other senses.
    EXPECT_EQ(label_texts({"mouse"}, {}, {})[0].definition, "");
    EXPECT_EQ(label_texts({"674"}, {"mouse"}, {})[0].definition, "");
}

TEST_F(Definitions, CsvWithNamesAndSynonyms) {
    const auto texts = of("d.csv",
                          "\xEF\xBB\xBFlabel,definition,name,synonyms\r\n"
                          "dog,\"a domestic\n canine, kept\",Dog,hound; Dog ;cur;hound\r\n");
    EXPECT_EQ(texts[0].name, "cat");
    EXPECT_EQ(texts[0].definition, "");
    EXPECT_EQ(texts[1].name, "Dog");
    EXPECT_EQ(texts[1].definition, "a domestic canine, kept");
    EXPECT_THAT(texts[1].synonyms, ElementsAre("hound", "cur"));
}

TEST_F(Definitions, JsonOfTextsAndOfObjects) {
    const auto texts =
        of("d.json", R"({"cat": "purrs", "dog": {"name": "Hund", "synonyms": ["Köter"]}})");
    EXPECT_EQ(texts[0].definition, "purrs");
    EXPECT_EQ(texts[1].name, "Hund");
    EXPECT_THAT(texts[1].synonyms, ElementsAre("Köter"));
}

TEST_F(Definitions, FilesComeBeforeWordNetAndMayNameLabelsOtherwise) {
    const auto file = write("d.csv", "label,definition\ntench,a green fish\n");
    const auto texts = label_texts({"n01440764", "n01443537"}, {}, file);
    EXPECT_EQ(texts[0].definition, "a green fish");
    EXPECT_THAT(texts[1].definition, HasSubstr("golden"));
}

TEST_F(Definitions, PlacesInTheListAreNoLabels) {
    std::vector<std::string> warnings;
    const auto file = write("d.csv", "label,definition\n1,one\n7,seven\n");
    const auto texts = label_texts({{"7", "", "", {}}, {"dog", "", "", {}}}, file, warnings);
    EXPECT_EQ(texts[0].definition, "seven");
    EXPECT_EQ(texts[1].definition, "");
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 label of d.csv is in no question")));
}

TEST_F(Definitions, UnknownLabelsAreRefusedWithTheNearest) {
    EXPECT_THAT(refused("d.csv", "label,definition\ndogg,x\n"),
                HasSubstr("d.csv line 2: unknown label `dogg`; did you mean `dog`?"));
    EXPECT_THAT(refused("d.json", R"({"zebra": "x"})"),
                HasSubstr("unknown label `zebra`; known: cat, dog"));
}

TEST_F(Definitions, DamagedFilesAreRefused) {
    EXPECT_THAT(refused("d.csv", "label,text\ncat,x\n"), HasSubstr("definition"));
    EXPECT_THAT(refused("d.csv", "definition\nx\n"), HasSubstr("label"));
    EXPECT_THAT(refused("d.csv", "label,definition\n ,x\n"), HasSubstr("the label is empty"));
    EXPECT_THAT(refused("d.csv", "label,definition\ncat,x\nCat,y\n"),
                HasSubstr("line 3: label `Cat` is also in d.csv line 2"));
    EXPECT_THAT(refused("d.csv", "label,definition\ncat,\xFF\n"), HasSubstr("is not UTF-8"));
    EXPECT_THAT(refused("d.csv", "label,definition\ncat," + std::string(9000, 'x') + "\n"),
                HasSubstr("has 9000 bytes"));
    EXPECT_THAT(refused("d.json", "[1]"), HasSubstr("must be an object"));
    EXPECT_THAT(refused("d.json", R"({"cat": 3})"), HasSubstr("is 3, not a text"));
    EXPECT_THAT(refused("d.json", R"({"cat": {"gloss": "x"}})"), HasSubstr("unknown key `gloss`"));
    EXPECT_THAT(refused("d.json", R"({"cat": )"), HasSubstr("d.json"));
    EXPECT_THAT(refused("d.csv", ""), HasSubstr("d.csv"));
    EXPECT_THAT(message_of([&] { label_texts({"cat"}, {}, scratch_ / "none.csv"); }),
                HasSubstr("none.csv"));
}

TEST_F(Definitions, NoLabelsAreNoLabels) {
    EXPECT_THAT(label_texts({}, {}, {}), IsEmpty());
}

}  // namespace
}  // namespace assay::labelling
