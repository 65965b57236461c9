#include "assay/data/hierarchy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "assay/error.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HierarchyFiles : public testing::Test {
protected:
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(scratch_ / name, std::ios::binary) << text;
        return scratch_ / name;
    }
    Hierarchy read(const std::string& name, const std::string& text) const {
        return read_hierarchy(write(name, text));
    }
    std::string refused(const std::string& name, const std::string& text) const {
        return message_of([&] { read(name, text); });
    }

private:
    Scratch scratch_;
};

std::vector<std::string> ids_of(const Hierarchy& h, std::span<const std::uint32_t> nodes) {
    std::vector<std::string> ids;
    for (const std::uint32_t n : nodes) ids.push_back(h.id(n));
    return ids;
}

TEST_F(HierarchyFiles, OneGraphInFourFormats) {
    const Hierarchy expected({"n00000001", "n00000002", "n00000003", "n00000004"}, {},
                             {{1, 0}, {2, 0}, {3, 1}, {3, 2}}, "test");
    const auto same = [&](const Hierarchy& h) {
        EXPECT_EQ(h.size(), 4U);
        EXPECT_EQ(h.edges(), 4U);
        EXPECT_EQ(h.id(h.root()), "n00000001");
        const std::uint32_t last = h.find("n00000004").value();
        EXPECT_THAT(ids_of(h, h.parents(last)),
                    testing::UnorderedElementsAre("n00000002", "n00000003"));
        EXPECT_EQ(h.least_depth(last), 2U);
    };
    same(expected);
    same(read("edges.csv",
              "child,parent\nn00000002,n00000001\nn00000003,n00000001\n"
              "n00000004,n00000002\nn00000004,n00000003\n"));
    same(read("nodes.csv",
              "id,name,parents\nn00000001,thing,\nn00000002,b,n00000001\r\n"
              "n00000003,c,n00000001\nn00000004,d,n00000002 n00000003\n"));
    same(read("wordnet.is_a.txt",
              "n00000001 n00000002\nn00000001 n00000003\n"
              "n00000002 n00000004\nn00000003 n00000004\n"));
    const Hierarchy nouns = read("data.noun",
                                 "  1 a licence\n"
                                 "00000001 03 n 01 thing 0 001 ~ 00000002 n 0000 | all  \n"
                                 "00000002 03 n 02 big_dog 0 hound 1 001 @ 00000001 n 0000 | b  \n"
                                 "00000003 03 n 01 c 0 001 @ 00000001 n 0000 | c  \n"
                                 "00000004 03 n 01 Rex 0 002 @i 00000002 n 0000 @ 00000003 n 0000 "
                                 "| d | e  \n");
    same(nouns);
    EXPECT_EQ(nouns.find("Big-Dog"), nouns.find("n00000002"));
}

TEST_F(HierarchyFiles, TreesOfNames) {
    const Hierarchy tree = read("tree.json",
                                R"({"children": [{"name": "animal", "children": [{"class": "cat"},
                                {"name": "other", "children": [{"class": "dog"}]}]},
                                {"name": "tool", "children": [{"name": "other", "children":
                                [{"class": "hammer"}]}]}]})");
    EXPECT_EQ(tree.id(tree.root()), "root");
    EXPECT_EQ(tree.size(), 8U);
    const auto above = [&](const char* id) {
        return ids_of(tree, tree.parents(tree.find(id).value()));
    };
    EXPECT_THAT(above("dog"), ElementsAre("other"));
    EXPECT_THAT(above("hammer"), ElementsAre("root/tool/other"));
    // A class may have the same name as its parent, in any order.
    const Hierarchy dogs =
        read("dog.json", R"({"children": [{"name": "dog", "children": [{"class": "dog"}]}]})");
    EXPECT_EQ(dogs.id(dogs.parents(dogs.find("dog").value())[0]), "root/dog");
    EXPECT_THAT(refused("long.csv", "child,parent\n" + std::string(5000, 'x') + ",top\n"),
                HasSubstr("a name of 5000 bytes"));
    EXPECT_THAT(refused("a.json", R"({"children": [{"class": "x"}, {"class": "x"}]})"),
                HasSubstr("the class `x` appears twice"));
    EXPECT_THAT(refused("b.json", R"({"children": {"class": "x"}})"),
                HasSubstr("`children` is not a list"));
    EXPECT_THAT(refused("c.json", R"({"children": [{"names": "x"}]})"),
                HasSubstr("a node has no `name`"));
    EXPECT_THAT(refused("d.json", R"({"children": [3]})"), HasSubstr("a node is an object"));
    // The second `a` would get the path `r/a/a`, which is the path of a class. It would then be its
    // own ancestor.
    const std::string twice = R"({"name": "a", "children": [{"name": "a", "children":
                              [{"name": "x"}]}, {"name": "y"}]})";
    const std::string called = R"({"name": "r/a/a"})";
    for (const bool before : {true, false}) {
        EXPECT_THAT(
            refused("e.json", R"({"name": "r", "children": [)" +
                                  (before ? called + "," + twice : twice + "," + called) + "]}"),
            HasSubstr("e.json below `r/a/a`: a class is named `r/a/a`"));
    }
}

TEST_F(HierarchyFiles, WhatIsNoHierarchyIsNamed) {
    EXPECT_THAT(refused("e.csv", "child,parent\na,b\nb,c\nc,a\n"),
                HasSubstr("every node has a parent"));
    EXPECT_THAT(refused("e.csv", "child,parent\na,top\na,b\nb,c\nc,a\n"),
                HasSubstr("3 nodes (`a`, `b`, `c`) are their own ancestors"));
    EXPECT_THAT(refused("e.csv", "child,parent\na,top\nb,head\n"),
                HasSubstr("2 nodes without a parent (`top`, `head`) instead of one"));
    EXPECT_THAT(refused("e.csv", "child,parent\na,top\na,top\n"),
                HasSubstr("the edge from `a` to `top` appears twice"));
    EXPECT_THAT(refused("e.csv", "kid,parent\na,top\n"), HasSubstr("child"));
    EXPECT_THAT(refused("e.csv", "child,parent\n,top\n"), HasSubstr("line 2"));
    EXPECT_THAT(refused("e.csv", ""), HasSubstr("is empty"));
    EXPECT_THAT(refused("e.txt", "n00000001 n00000002\nn00000001\n"), HasSubstr("line 2"));
    EXPECT_THAT(refused("data.noun", "00000001 03 n ZZ thing 0 000 | x\n"),
                HasSubstr("line 1: field 4 is `ZZ`"));
    EXPECT_THAT(refused("data.noun", "00000001 03 n 01 thing 0 900 | x\n"),
                HasSubstr("900 pointers, but 7 fields"));
    EXPECT_THAT(refused("data.noun", "00000001 03 v 01 go 0 000 | x\n"), HasSubstr("not a noun"));
    EXPECT_THAT(message_of([&] {
                    Hierarchy({"a", "a"}, {}, {}, "test");
                }),
                HasSubstr("`a` appears twice"));
    EXPECT_THAT(message_of([&] {
                    Hierarchy({"a"}, {}, {{0, 7}}, "test");
                }),
                HasSubstr("node 7 of 1"));
}

TEST(Hierarchy, ImagenetsClassesAndWhatIsAboveThem) {
    const Hierarchy& h = imagenet_hierarchy();
    const std::vector<std::uint32_t> nodes = h.nodes_of(imagenet_classes());
    ASSERT_EQ(nodes.size(), 1000U);
    EXPECT_EQ(h.name(h.root()), "entity");
    std::uint32_t least = 99, most = 0, several = 0;
    for (const std::uint32_t node : nodes) {
        EXPECT_TRUE(h.children(node).empty()) << h.name(node);
        least = std::min(least, h.least_depth(node));
        most = std::max(most, h.most_depth(node));
    }
    for (std::uint32_t node = 0; node < h.size(); ++node) several += h.parents(node).size() > 1;
    EXPECT_EQ(least, 4U);
    EXPECT_EQ(most, 18U);
    EXPECT_EQ(several, 75U);
    // With only names, "crane" is ambiguous (a bird and a machine), so ids are needed.
    EXPECT_EQ(h.find("n02012849").has_value(), true);
    EXPECT_EQ(h.find("crane"), std::nullopt);
    EXPECT_EQ(h.find("great white-shark"), h.find("n01484850"));
    EXPECT_EQ(h.ancestors_of(nodes).size(), h.size());
}

}  // namespace
}  // namespace assay
