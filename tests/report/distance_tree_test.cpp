// Figures of ways through a hierarchy.
#include "report/draw_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/data/hierarchy.h"
#include "assay/mad/distance_path.h"
#include "core/random.h"
#include "message_of.h"
#include "report/letter_widths.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

DistanceTree ways(const Hierarchy& hierarchy, const std::vector<std::string>& classes,
                  mad::DistanceReading reading = mad::DistanceReading::tree_path) {
    std::vector<mad::DistancePath> paths;
    for (std::size_t i = 0; i + 1 < classes.size(); i += 2)
        paths.push_back(mad::distance_path(hierarchy, reading, classes[i], classes[i + 1]));
    return distance_tree(hierarchy, paths);
}

TreeSheet laid_out(const DistanceTree& plot, const DrawOptions& options = {}) {
    return lay_out_tree(plot, options, letters_width);
}

bool touch(const Box2d& a, const Box2d& b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/// Points on the segment, dense enough for any text.
bool crosses(const Place& from, const Place& to, const Box2d& box) {
    constexpr int points = 400;
    for (int i = 0; i <= points; ++i) {
        const double part = static_cast<double>(i) / points;
        const double x = from.first + part * (to.first - from.first);
        const double y = from.second + part * (to.second - from.second);
        if (x > box.left && x < box.right && y > box.top && y < box.bottom) return true;
    }
    return false;
}

/// Boxes, labels and the legend are apart and on the page. No line crosses a box, and no stroke
/// touches a text.
void expect_readable(const DistanceTree& plot, const TreeSheet& sheet) {
    std::vector<Box2d> taken = sheet.boxes;
    for (const auto* texts : {&sheet.labels, &sheet.legend})
        for (const TreeText& text : *texts)
            taken.push_back({text.place.first, text.place.second - sheet.font / 2,
                             text.place.first + text.width, text.place.second + sheet.font / 2});
    for (std::size_t i = 0; i < taken.size(); ++i) {
        EXPECT_GE(taken[i].left, 0);
        EXPECT_GE(taken[i].top, 0);
        EXPECT_LE(taken[i].right, sheet.width);
        EXPECT_LE(taken[i].bottom, sheet.height);
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_FALSE(touch(taken[i], taken[j])) << i << " " << j;
    }
    ASSERT_EQ(sheet.lines.size(), plot.edges.size());
    for (std::size_t e = 0; e < plot.edges.size(); ++e) {
        const std::vector<Place>& line = sheet.lines[e];
        const Box2d &upper = sheet.boxes[plot.edges[e].upper],
                    &lower = sheet.boxes[plot.edges[e].lower];
        EXPECT_DOUBLE_EQ(line.front().second, upper.bottom);
        EXPECT_DOUBLE_EQ(line.back().second, lower.top);
        EXPECT_GT(line.back().first, lower.left);
        EXPECT_LT(line.back().first, lower.right);
        const std::size_t strokes = plot.edges[e].ways.size();
        const double half = strokes == 0 ? 0.3 : path_width(0, strokes) / 2;
        for (std::size_t s = 1; s < line.size(); ++s) {
            for (std::size_t i = 0; i < taken.size(); ++i) {
                Box2d box = taken[i];
                if (i >= sheet.boxes.size())  // boxes are drawn over the lines
                    box = {box.left - half, box.top - half, box.right + half, box.bottom + half};
                EXPECT_FALSE(crosses(line[s - 1], line[s], box)) << e << " " << i;
            }
        }
    }
    for (std::size_t n = 0; n < plot.nodes.size(); ++n)
        EXPECT_LT(sheet.names[n].width, sheet.boxes[n].width());
}

TEST(DistanceTree, ShowsTheWaysOfTwoPairs) {
    // all - b - c - d - e - {x, y}, and all - z: x and y are one edge below e, four below all
    const Hierarchy hierarchy({"all", "b", "c", "d", "e", "x", "y", "z"},
                              {"all", "b", "c", "d", "e", "x, ex", "y", "z"},
                              {{1, 0}, {2, 1}, {3, 2}, {4, 3}, {5, 4}, {6, 4}, {7, 0}}, "made");
    const DistanceTree near = ways(hierarchy, {"x", "y"});
    ASSERT_EQ(near.ways.size(), 1U);
    EXPECT_EQ(near.ways[0], "x – y: 0.125");  // 2 edges of 1/16
    // b, c and d are on no way, and have no other child.
    std::vector<std::string> names, edges;
    for (const DistanceTreeNode& node : near.nodes) names.push_back(node.text);
    for (const DistanceTreeEdge& edge : near.edges)
        edges.push_back(near.nodes[edge.upper].text + near.nodes[edge.lower].text + edge.label +
                        (edge.dashed ? "-" : ""));
    EXPECT_THAT(names, ElementsAre("x", "e", "y", "all"));
    EXPECT_THAT(edges, testing::UnorderedElementsAre("ex0.0625", "ey0.0625", "alle4 edges-"));
    expect_readable(near, laid_out(near));

    const DistanceTree both = ways(hierarchy, {"x", "y", "x", "z"});
    EXPECT_EQ(both.ways[1], "x – z: 2.938");  // 1/16 + 1/8 + 1/4 + 1/2 + 1 + 1
    const auto at = [&](const std::string& text) -> const DistanceTreeNode& {
        return *std::ranges::find(both.nodes, text, &DistanceTreeNode::text);
    };
    EXPECT_THAT(at("x").ways, ElementsAre(0, 1));
    EXPECT_THAT(at("y").ways, ElementsAre(0));
    EXPECT_THAT(at("c").ways, ElementsAre(1));
    EXPECT_TRUE(at("x").end);
    EXPECT_FALSE(at("e").end);
    EXPECT_EQ(both.edges.size(), 7U);
    expect_readable(both, laid_out(both));
    const DistanceTree same = ways(hierarchy, {"all", "all"});
    EXPECT_EQ(same.nodes.size(), 1U);
    expect_readable(same, laid_out(same));
}

TEST(DistanceTree, AnEdgeHasTheWeightsOfAllWays) {
    // u is below root and, along the longest way, three edges below it. For x and y, an edge below
    // u is at the depth 3. For x and z, it is one edge below their common node.
    const Hierarchy hierarchy({"root", "p", "q", "u", "x", "y", "z"}, {},
                              {{1, 0}, {2, 1}, {3, 2}, {3, 0}, {4, 3}, {5, 3}, {6, 0}}, "made");
    const DistanceTree tree = ways(hierarchy, {"x", "y", "x", "z", "z", "x", "y", "z"});
    EXPECT_THAT(tree.ways, ElementsAre("x – y: 0.25", "x – z: 2.5", "z – x: 2.5", "y – z: 2.5"));
    std::vector<std::string> edges;
    for (const DistanceTreeEdge& edge : tree.edges)
        edges.push_back(tree.nodes[edge.upper].text + tree.nodes[edge.lower].text + " " +
                        edge.label);
    EXPECT_THAT(edges, testing::UnorderedElementsAre("ux 0.125 / 0.5", "uy 0.125 / 0.5", "rootu 1",
                                                     "rootz 1", "rootu 3 edges"));
    expect_readable(tree, laid_out(tree));
}

TEST(DistanceTree, AnAmbiguousNameIsItsId) {
    const Hierarchy hierarchy({"all", "n1", "n2", "n3", "n4"},
                              {"all", "crane", "crane, lifting", ", odd", "tench, Tinca"},
                              {{1, 0}, {2, 0}, {3, 0}, {4, 0}}, "made");
    const DistanceTree tree = ways(hierarchy, {"n1", "n2", "n3", "n4"});
    std::vector<std::string> names;
    for (const DistanceTreeNode& node : tree.nodes) names.push_back(node.text);
    EXPECT_THAT(names, ElementsAre("n1", "all", "n2", "n3", "tench"));
    EXPECT_THAT(tree.ways, ElementsAre("n1 – n2: 2", "n3 – tench: 2"));
    EXPECT_EQ(ways(hierarchy, {"n1", "n4"}).ways[0], "crane – tench: 2");
}

TEST(DistanceTree, LabelsAreBesideFourStrokes) {
    const Hierarchy hierarchy({"all", "u", "a", "b", "c", "d", "z"}, {},
                              {{1, 0}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 0}}, "made");
    const DistanceTree tree = ways(hierarchy, {"a", "z", "b", "z", "c", "z", "d", "z"});
    const auto z = std::ranges::find(tree.nodes, std::string("z"), &DistanceTreeNode::text);
    ASSERT_NE(z, tree.nodes.end());
    EXPECT_EQ(z->ways.size(), 4U);
    expect_readable(tree, laid_out(tree));
}

TEST(DistanceTree, NothingOverlapsForAnyClassesOfImagenet) {
    const Hierarchy& hierarchy = imagenet_hierarchy();
    std::vector<std::string> leaves;
    for (std::uint32_t node = 0; node < hierarchy.size(); ++node)
        if (hierarchy.children(node).empty()) leaves.push_back(hierarchy.id(node));
    RandomStream random(5, "classes");
    using enum mad::DistanceReading;
    for (const mad::DistanceReading reading :
         {tree_path, ancestor_min, ancestor_max, graph_closure_max, hop}) {
        for (const std::size_t classes : {2, 4, 8}) {
            std::vector<std::string> some;
            for (std::size_t c = 0; c < classes; ++c)
                some.push_back(leaves[random.below(leaves.size())]);
            const DistanceTree plot = ways(hierarchy, some, reading);
            SCOPED_TRACE(testing::PrintToString(some));
            expect_readable(plot, laid_out(plot));
        }
    }
}

TEST(DistanceTree, ANodeIsBelowAllOfItsParents) {
    // The shortest way from x to y is through their common descendant m.
    const Hierarchy hierarchy({"root", "a", "b", "x", "y", "m"}, {},
                              {{1, 0}, {2, 0}, {3, 1}, {4, 2}, {5, 3}, {5, 4}, {5, 0}}, "made");
    const DistanceTree plot =
        ways(hierarchy, {"x", "y", "m", "root"}, mad::DistanceReading::graph_full_max);
    const TreeSheet sheet = laid_out(plot);
    expect_readable(plot, sheet);
    for (const DistanceTreeEdge& edge : plot.edges)
        EXPECT_LT(sheet.boxes[edge.upper].bottom, sheet.boxes[edge.lower].top);
}

TEST(DistanceTree, IsDrawn) {
    const Hierarchy hierarchy({"all", "x", "y"},
                              {"all", "<hostile>\x01 & " + std::string(300, 'x'), "y"},
                              {{1, 0}, {2, 0}}, "made");
    const DistanceTree tree = ways(hierarchy, {"x", "y"});
    EXPECT_THAT(laid_out(tree).names[0].text, HasSubstr("<hostile>\\x01 & xxx"));
    const std::string svg = draw(tree, PlotFormat::svg);
    EXPECT_EQ(draw(tree, PlotFormat::svg), svg);
    EXPECT_NE(draw(tree, PlotFormat::svg, {.dark = true}), svg);
    expect_readable(tree, laid_out(tree, {.width = 60, .height = 60}));
    EXPECT_THAT(message_of([&] { laid_out(tree, {.height = 20}); }, ErrorCode::usage),
                HasSubstr("no room for"));
    EXPECT_THAT(message_of([&] { ways(hierarchy, {}); }, ErrorCode::usage),
                HasSubstr("0 pairs of classes in a figure; allowed: 1 to 4"));
    EXPECT_THAT(
        message_of([&] { ways(hierarchy, std::vector<std::string>(10, "x")); }, ErrorCode::usage),
        HasSubstr("5 pairs"));
}

}  // namespace
}  // namespace assay
