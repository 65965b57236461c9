// Data sets in their published form, and the targets of classifiers on them.
#include "assay/quality/role.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "message_of.h"
#include "scratch.h"

namespace assay::quality {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OpenRole : public testing::Test {
protected:
    void image(const std::string& path) const {
        const std::filesystem::path file = scratch_ / path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << "x";
    }
    Dataset open(Role role, const std::string& folder, ClassList classes = imagenet_classes()) {
        DatasetOptions options;
        options.classes = std::move(classes);
        return open_role(role, scratch_ / folder, options, &notes_);
    }
    static std::string attribute(const Dataset& dataset, std::string_view name, std::size_t item) {
        for (const Dataset::Attribute& a : dataset.attributes) {
            if (a.name == name) return std::string(a.values[item]);
        }
        return "(none)";
    }
    /// The common target of all labels of an item, with the map of the role.
    static std::string target(Role role, const Dataset& dataset, std::size_t item) {
        const ClassMap map = class_map_named(facts_of(role).class_map, dataset.classes);
        std::set<std::int32_t> targets;
        for (const std::int32_t label : dataset.labels[item])
            targets.insert(map.target_of[static_cast<std::size_t>(label)]);
        return targets.size() == 1 && *targets.begin() >= 0
                   ? map.targets.id(static_cast<std::size_t>(*targets.begin()))
                   : "(several)";
    }
    Scratch scratch_;
    std::vector<std::string> notes_;
};

TEST_F(OpenRole, SketchesTellTheirCategoryInTheirNames) {
    image("sketch/dnn/session-1/0001_ske_dnn_0_dog_00_dog-0001-sketch-5.png");
    image("sketch/dnn/session-1/0350_ske_dnn_0_knife_00_knife-0149-sketch-12.png");
    const Dataset dataset = open(Role::sketch, "sketch");
    EXPECT_EQ(dataset.name, "sketch");
    ASSERT_EQ(dataset.size(), 2U);
    EXPECT_EQ(target(Role::sketch, dataset, 0), "dog");
    EXPECT_EQ(dataset.labels[0].size(), 109U);  // the dogs of ImageNet, in the 16 categories
    EXPECT_EQ(target(Role::sketch, dataset, 1), "knife");
    EXPECT_EQ(dataset.labels[1].size(), 1U);
    EXPECT_THAT(notes_, ElementsAre(HasSubstr("the 16 of `16-class`")));
    const auto map = question_of(Role::sketch, dataset, imagenet_classes());
    ASSERT_TRUE(map);
    EXPECT_EQ(map->name, "16-class");
    EXPECT_TRUE(std::filesystem::exists(dataset.path_of(1)));
}

TEST_F(OpenRole, NumbersInNamesAreNoCategories) {
    // The fourth field is the condition, not a class. The first of the 16 categories is airplane,
    // and no condition is a category.
    image("stylized/0001_sty_dnn_0_wardrobe_00_wardrobe-0001-1.png");
    image("stylized/0002_sty_dnn_0_7_00_car-0149-2.png");
    image("stylized/0003_sty_dnn_0.png");
    const Dataset dataset = open(Role::stylized, "stylized");
    for (std::size_t i = 0; i < dataset.size(); ++i) EXPECT_TRUE(dataset.labels[i].empty()) << i;
    // If most images name a category, folders are not classes, either.
    image("edge/dog/1.png");
    image("edge/dog/2.png");
    image("edge/3/3.png");
    EXPECT_THAT(message_of([&] { open(Role::edge, "edge"); }),
                HasSubstr("3/3.png: neither its folder nor its name"));
    image("sketch/0001_ske_dnn_0_airplane_00_airplane-0001-sketch-0.png");
    image("sketch/0002_ske_dnn_0_car_00_car-0149-sketch-1.png");
    image("sketch/0003_ske_dnn_0_0_00_car-0149-sketch-1.png");
    EXPECT_THAT(message_of([&] { open(Role::sketch, "sketch"); }),
                HasSubstr("0003_ske_dnn_0_0_00_car-0149-sketch-1.png: neither its folder"));
}

TEST_F(OpenRole, CueConflictsTellBothCuesAndWhatTheyAreMadeOf) {
    image("cue-conflict/airplane/airplane1-bear2.png");
    image("cue-conflict/oven/oven10-truck3.png");
    const Dataset dataset = open(Role::cue_conflict, "cue-conflict");
    EXPECT_EQ(target(Role::cue_conflict, dataset, 1), "oven");
    EXPECT_EQ(attribute(dataset, "shape", 1), "oven");
    EXPECT_EQ(attribute(dataset, "texture", 1), "truck");
    EXPECT_EQ(attribute(dataset, "shape_image", 1), "oven10");
    EXPECT_EQ(attribute(dataset, "texture_image", 0), "bear2");
}

TEST_F(OpenRole, In9TellsForegrounds) {
    image("mixed_rand/val/00_dog/fg_n02085936_1_bg_n02105412_7.JPEG");
    image("mixed_rand/val/08_fish/n01443537_12.JPEG");
    image("mixed_rand/val/02_vehicle/n02701002_3.JPEG");  // this holds for any name of the folder
    const Dataset dataset = open(Role::mixed_rand, "mixed_rand");
    EXPECT_EQ(dataset.name, "mixed_rand");
    EXPECT_EQ(target(Role::mixed_rand, dataset, 0), "00_dog");
    EXPECT_EQ(target(Role::mixed_rand, dataset, 1), "02_wheeled vehicle");
    EXPECT_EQ(target(Role::mixed_rand, dataset, 2), "08_fish");
    EXPECT_EQ(dataset.labels[2].size(), 16U);
    EXPECT_EQ(attribute(dataset, "foreground", 0), "n02085936_1");
    EXPECT_EQ(attribute(dataset, "foreground", 2), "n01443537_12");
}

TEST_F(OpenRole, WholeNamesOfFoldersComeBeforePlaces) {
    image("mixed_same/bird/00_ours/1.JPEG");
    image("mixed_same/05_insect/00_ours/2.JPEG");
    image("mixed_same/06_instrument/3.JPEG");
    const Dataset dataset = open(Role::mixed_same, "mixed_same");
    EXPECT_EQ(target(Role::mixed_same, dataset, 0), "05_insect");  // 05_..., 06_... and bird
    EXPECT_EQ(target(Role::mixed_same, dataset, 1), "06_musical instrument");
    EXPECT_EQ(target(Role::mixed_same, dataset, 2), "01_bird");
}

TEST_F(OpenRole, APlaceWithTheNameOfAnotherIsRefused) {
    for (const char* folder : {"00_bird", "01_musical instrument", "02_instrument"}) {
        const std::string set = std::string("set of ") + folder;
        image(set + "/08_fish/1.JPEG");
        image(set + "/08_fish/3.JPEG");
        image(fmt::format("{}/{}/2.JPEG", set, folder));
        EXPECT_THAT(
            message_of([&] { open(Role::mixed_same, set); }),
            testing::AllOf(HasSubstr(fmt::format("{}/2.JPEG: the folder `{}`", folder, folder)),
                           HasSubstr(std::string("matches both `") + folder[0] + folder[1]),
                           testing::EndsWith(": rename it to one of them")));
    }
}

TEST_F(OpenRole, AUsersOwnNumberedFoldersAreNotIn9) {
    // In IN-9, 05_ is insect, but only one of four images begins with the name of one of its
    // folders.
    image("mixed_same/05_bird/1.JPEG");
    image("mixed_same/20_lamp/2.JPEG");
    image("mixed_same/21_sofa/3.JPEG");
    image("mixed_same/21_sofa/4.JPEG");
    std::ofstream(scratch_ / "mixed_same/labels.csv")
        << "path,labels\n05_bird/1.JPEG,n01530575\n20_lamp/2.JPEG,n03637318\n"
           "21_sofa/3.JPEG,n04344873\n21_sofa/4.JPEG,n04344873\n";
    const Dataset dataset = open(Role::mixed_same, "mixed_same");
    ASSERT_EQ(dataset.size(), 4U);
    EXPECT_EQ(dataset.single_label(0), 10);
    EXPECT_EQ(dataset.single_label(1), 619);
    EXPECT_EQ(dataset.single_label(3), 831);
}

TEST_F(OpenRole, RenditionsAreFoldersOfWordNetIds) {
    image("imagenet-r/n01443537/art_0.jpg");
    image("imagenet-r/n01484850/toy_3.jpg");
    const Dataset dataset = open(Role::r, "imagenet-r");
    EXPECT_EQ(dataset.classes.size(), 1000U);
    EXPECT_EQ(dataset.single_label(0), 1);
    EXPECT_EQ(question_of(Role::r, dataset, imagenet_classes())->name, "imagenet-r");
}

TEST_F(OpenRole, AClassifiersOwnClassesNeedNoMap) {
    image("edges/cat/a.png");
    image("edges/dog/b.png");
    image("edges/key/c.png");
    const ClassList own({"cat", "dog", "key"});
    const Dataset dataset = open(Role::edge, "edges", own);
    EXPECT_EQ(dataset.single_label(2), 2);
    EXPECT_FALSE(question_of(Role::edge, dataset, own));
    EXPECT_THAT(message_of([&] {
                    question_of(Role::edge, dataset, ClassList({"a", "b"}));
                }),
                HasSubstr("has 3 classes; allowed: the classifier's own 2"));
    EXPECT_THAT(message_of([&] { question_of(Role::edge, dataset, imagenet_classes()); }),
                testing::EndsWith("has 3 classes; allowed: the classifier's own 1000"));
}

TEST_F(OpenRole, LabelsOverTheMapsOwnClassesAreNoQuestion) {
    Dataset dataset;
    dataset.name = "edges";
    dataset.classes = class_map_named("16-class", imagenet_classes()).targets;
    EXPECT_THAT(message_of([&] { question_of(Role::edge, dataset, imagenet_classes()); }),
                testing::EndsWith("has 16 classes; allowed: the classifier's own 1000"));
}

TEST_F(OpenRole, AnImageThatTellsNothingIsNamed) {
    image("edge/dog/1.png");
    image("edge/dog/2.png");
    image("edge/dogs/3.png");
    EXPECT_THAT(message_of([&] { open(Role::edge, "edge"); }),
                HasSubstr("dogs/3.png: neither its folder nor its name"));
}

TEST(Roles, HaveNames) {
    for (const RoleFacts& facts : role_facts()) EXPECT_EQ(role_named(facts.name), facts.role);
    EXPECT_EQ(role_named("mixed_same"), Role::mixed_same);
    EXPECT_THAT(message_of([] { role_named("edges"); }, ErrorCode::usage), HasSubstr("`edge`"));
}

}  // namespace
}  // namespace assay::quality
