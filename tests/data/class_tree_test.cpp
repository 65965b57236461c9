// Classes in a tree: ancestors at levels, distances, and graphs that are not a tree.
#include "assay/data/class_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "message_of.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// thing -> animal -> {cat, dog}; thing -> car.
Hierarchy three_kinds() {
    return Hierarchy({"thing", "animal", "cat", "dog", "car"}, {}, {{1, 0}, {2, 1}, {3, 1}, {4, 0}},
                     "test");
}

TEST(ClassTree, LevelsCountFromTheRoot) {
    const ClassTree tree(three_kinds(), ClassList({"dog", "car", "cat"}));
    EXPECT_EQ(tree.deepest(), 2U);
    EXPECT_EQ(tree.height(), 2U);
    EXPECT_EQ(tree.ancestor(0, 1), tree.ancestor(2, 1));
    EXPECT_NE(tree.ancestor(0, 1), tree.ancestor(1, 1));
    EXPECT_EQ(tree.ancestor(1, 1), tree.ancestor(1, 2));  // the car is less deep in the tree
    EXPECT_EQ(tree.ancestors_at(0), 1U);
    EXPECT_EQ(tree.ancestors_at(1), 2U);
    EXPECT_EQ(tree.ancestors_at(2), 3U);
    EXPECT_THAT(tree.telling_levels(), ElementsAre(1U));
    EXPECT_THAT(tree.notes(), IsEmpty());
}

TEST(ClassTree, DistancesAndHeights) {
    const ClassTree tree(three_kinds(), ClassList({"dog", "car", "cat"}));
    EXPECT_EQ(tree.distance(0, 0), 0U);
    EXPECT_EQ(tree.distance(0, 2), 2U);  // the path dog, animal, cat
    EXPECT_EQ(tree.distance(0, 1), 3U);  // the path dog, animal, thing, car
    EXPECT_EQ(tree.distance(1, 0), 3U);
    EXPECT_EQ(tree.ancestor_height(0, 0), 0U);
    EXPECT_EQ(tree.ancestor_height(0, 2), 1U);  // the ancestor animal
    EXPECT_EQ(tree.ancestor_height(1, 2), 2U);  // the ancestor thing
}

TEST(ClassTree, AClassMayBeAboveAnother) {
    const ClassTree tree(three_kinds(), ClassList({"animal", "cat"}));
    EXPECT_EQ(tree.distance(0, 1), 1U);
    EXPECT_EQ(tree.ancestor_height(0, 1), 1U);
    EXPECT_EQ(tree.ancestor_height(0, 0), 0U);
}

TEST(ClassTree, SiblingsHaveTheSameParent) {
    const ClassTree tree(three_kinds(), ClassList({"dog", "car", "cat"}));
    EXPECT_TRUE(tree.siblings(0, 2));
    EXPECT_FALSE(tree.siblings(0, 1));
    EXPECT_FALSE(tree.siblings(0, 0));
    // The thing is two edges above the cat, as far as a sibling is.
    const ClassTree above(three_kinds(), ClassList({"thing", "cat"}));
    EXPECT_EQ(above.distance(0, 1), 2U);
    EXPECT_FALSE(above.siblings(0, 1));
    EXPECT_FALSE(above.siblings(1, 0));
}

TEST(ClassTree, WhatIsBelowNoClassDoesNotCount) {
    // The kitten is not a class, so the cat has the same height as the dog.
    const Hierarchy more({"thing", "animal", "cat", "dog", "kitten"}, {},
                         {{1, 0}, {2, 1}, {3, 1}, {4, 2}}, "test");
    const ClassTree tree(more, ClassList({"cat", "dog"}));
    EXPECT_EQ(tree.ancestor_height(0, 1), 1U);
}

TEST(ClassTree, OfSeveralParentsTheFirstCountsAndThatIsSaid) {
    const Hierarchy graph({"thing", "pet", "beast", "cat", "dog"}, {},
                          {{1, 0}, {2, 0}, {3, 1}, {3, 2}, {4, 2}}, "test");
    const ClassTree tree(graph, ClassList({"cat", "dog"}));
    EXPECT_EQ(tree.distance(0, 1), 4U);
    EXPECT_THAT(tree.notes(), ElementsAre(HasSubstr("for `cat`: `pet`, not `beast`")));
}

TEST(ClassTree, AClassThatIsNoNodeIsNamed) {
    EXPECT_THAT(message_of([] {
                    ClassTree(three_kinds(), ClassList({"cat", "dot", "car"}));
                }),
                testing::AllOf(HasSubstr("1 of 3 classes are not nodes"), HasSubstr("`dot`"),
                               HasSubstr("nearest: `dog`")));
}

TEST(ClassTree, OfImageNetHasLevels) {
    const ClassTree tree(imagenet_hierarchy(), imagenet_classes());
    EXPECT_EQ(tree.classes(), 1000U);
    EXPECT_GT(tree.telling_levels().size(), 5U);
    EXPECT_THAT(tree.notes(), testing::SizeIs(1));  // WordNet's nouns have several parents
}

}  // namespace
}  // namespace assay
