#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/mad/distance.h"
#include "assay/mad/distance_path.h"
#include "core/random.h"
#include "expected_mad.h"
#include "message_of.h"

namespace assay::mad {
namespace {

using testing::HasSubstr;

/// The checksum of zip files (CRC-32 of IEEE 802.3), over 499,500 little-endian numbers.
std::uint32_t crc_of_pairs(const ClassDistances& distances) {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t n = 0; n < 256; ++n) {
        std::uint32_t c = n;
        for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
        table[n] = c;
    }
    std::uint32_t crc = 0xFFFFFFFFU;
    for (std::uint32_t i = 0; i < distances.classes(); ++i) {
        for (std::uint32_t j = i + 1; j < distances.classes(); ++j) {
            for (int byte = 0; byte < 4; ++byte)
                crc = table[(crc ^ (distances.units(i, j) >> (8 * byte))) & 0xFF] ^ (crc >> 8);
        }
    }
    return crc ^ 0xFFFFFFFFU;
}

struct PairSums {
    std::uint64_t sum = 0;
    std::uint32_t most = 0;
    std::size_t distinct = 0;
};
PairSums sums_of(const ClassDistances& distances) {
    PairSums sums;
    std::set<std::uint32_t> values;
    for (std::uint32_t i = 0; i < distances.classes(); ++i) {
        for (std::uint32_t j = i + 1; j < distances.classes(); ++j) {
            const std::uint32_t u = distances.units(i, j);
            EXPECT_EQ(u, distances.units(j, i));
            sums.sum += u;
            sums.most = std::max(sums.most, u);
            values.insert(u);
        }
        EXPECT_EQ(distances.units(i, i), 0U);
    }
    sums.distinct = values.size();
    return sums;
}

/// Values from the specification, which need no fixture.
struct KnownReading {
    const char* name;
    std::uint64_t sum;
    std::uint32_t crc;
    std::size_t distinct;
};
constexpr KnownReading of_ancestors[] = {
    {"tree_path", 243'228'651'568, 0xe352ee4f, 596},
    {"ancestor_min", 244'397'705'584, 0x29041057, 871},
    {"ancestor_max", 240'957'208'208, 0x4aed87a0, 1795},
    {"graph_closure_min", 175'563'102'576, 0x568f127c, 2816},
    {"graph_closure_max", 168'413'212'976, 0xaa58838a, 3668},
    {"hop", 6'594'801'696'768, 0xb2056afa, 25},
};
constexpr KnownReading of_all_nouns[] = {
    {"tree_path", 243'228'651'568, 0xe352ee4f, 596},
    {"graph_full_min", 80'112'695'840, 0x83c09277, 5253},
    {"graph_full_max", 73'597'924'704, 0xd5cc7fff, 6564},
    {"hop_full", 6'368'433'012'736, 0x74578506, 23},
};

void expect_known(const KnownReading& known, const Hierarchy& hierarchy) {
    const ClassDistances distances(hierarchy, imagenet_classes(), distance_named(known.name));
    const PairSums sums = sums_of(distances);
    EXPECT_EQ(sums.sum, known.sum) << known.name;
    EXPECT_EQ(sums.distinct, known.distinct) << known.name;
    EXPECT_EQ(crc_of_pairs(distances), known.crc) << known.name;
}

TEST(ClassDistances, EveryReadingOfImagenetHasItsChecksum) {
    EXPECT_EQ(imagenet_hierarchy().size(), 1860U);
    EXPECT_EQ(imagenet_hierarchy().edges(), 1937U);
    for (const KnownReading& known : of_ancestors) expect_known(known, imagenet_hierarchy());
}

TEST(DistancePath, HasTheLengthOfTheDistanceByEveryReading) {
    // Some classes and what is above them, so that graphs have other ways than all of ImageNet.
    std::vector<std::string> ids;
    for (std::uint32_t c = 0; c < 1000; c += 13) ids.push_back(imagenet_classes().id(c));
    const ClassList classes(ids);
    const Hierarchy above =
        imagenet_hierarchy().ancestors_of(imagenet_hierarchy().nodes_of(classes));
    std::size_t over_descendants = 0;
    for (const DistanceFacts& facts : distance_table()) {
        if (no_hierarchy(facts.reading)) continue;
        const ClassDistances distances(above, classes, facts.reading);
        RandomStream random(1, facts.name);
        for (int n = 0; n < 100; ++n) {
            const auto a = static_cast<std::uint32_t>(random.below(ids.size()));
            const auto b = static_cast<std::uint32_t>(random.below(ids.size()));
            const DistancePath path = distance_path(above, facts.reading, ids[a], ids[b]);
            SCOPED_TRACE(fmt::format("{} {} {}", facts.name, ids[a], ids[b]));
            EXPECT_EQ(path.distance, distances(a, b));
            ASSERT_FALSE(path.steps.empty());
            EXPECT_EQ(path.steps.front().id, ids[a]);
            EXPECT_EQ(path.steps.back().id, ids[b]);
            double sum = 0;
            bool went_down = false;
            for (std::size_t i = 1; i < path.steps.size(); ++i) {
                const auto& [id, name, edge, weight] = path.steps[i];
                sum += weight;
                const bool up = edge == "up";
                const auto child = *above.find(path.steps[up ? i - 1 : i].id);
                const auto parents = above.parents(child);
                EXPECT_NE(std::ranges::find(parents, *above.find(path.steps[up ? i : i - 1].id)),
                          parents.end());
                over_descendants += up && went_down ? 1 : 0;
                went_down = went_down || !up;
            }
            EXPECT_EQ(sum, path.distance);
        }
    }
    EXPECT_GT(over_descendants, 0U);
}

TEST(DistancePath, OfTwoFishIsShorterThanToAHammer) {
    const auto length = [](const char* a, const char* b) {
        return distance_path(imagenet_hierarchy(), DistanceReading::tree_path, a, b).distance;
    };
    EXPECT_LT(length("n01440764", "n01443537"), length("n01440764", "n03481172"));
    const DistancePath same =
        distance_path(imagenet_hierarchy(), DistanceReading::hop, "n01440764", "n01440764");
    EXPECT_EQ(same.distance, 0);
    EXPECT_EQ(same.steps.size(), 1U);
    EXPECT_THAT(message_of([&] { length("n01440764", "goldfishh"); }, ErrorCode::usage),
                HasSubstr("goldfish"));
    EXPECT_THAT(message_of([&] { length("crane", "n01440764"); }, ErrorCode::usage),
                HasSubstr("several categories are named `crane`"));
    EXPECT_THAT(message_of(
                    [&] {
                        distance_path(imagenet_hierarchy(), DistanceReading::zero_one, "n01440764",
                                      "n01443537");
                    },
                    ErrorCode::usage),
                HasSubstr("--distance tree-path"));
}

TEST(ClassDistances, AllNounsOfWordnet) {
    const char* const given = std::getenv("ASSAY_WORDNET");
    const std::filesystem::path nouns = given != nullptr ? given : "/usr/share/wordnet/data.noun";
    if (!std::filesystem::exists(nouns))
        GTEST_SKIP() << "SKIPPED: WordNet (" << nouns << "; wordnet-base) is absent";
    const Hierarchy all = read_hierarchy(nouns);
    EXPECT_EQ(all.size(), 82'115U);
    EXPECT_EQ(all.edges(), 75'850U + 8'577U);
    EXPECT_EQ(all.name(all.root()), "entity");
    for (const KnownReading& known : of_all_nouns) expect_known(known, all);
    const Hierarchy above = all.ancestors_of(all.nodes_of(imagenet_classes()));
    EXPECT_EQ(above.size(), imagenet_hierarchy().size());
    for (std::uint32_t node = 0; node < above.size(); ++node) {
        const auto there = imagenet_hierarchy().find(above.id(node));
        ASSERT_TRUE(there.has_value()) << above.id(node);
        EXPECT_EQ(above.name(node), imagenet_hierarchy().name(*there));
    }
}

TEST(ClassDistances, ReferencePairs) {
    ASSAY_EXPECTED_MAD(expected);
    const std::map<std::string, std::string> readings = {{"tree_path", "tree_path"},
                                                         {"ancestor_min", "ancestor_min"},
                                                         {"graph_closure_min", "graph_closure_min"},
                                                         {"hop_up", "hop"}};
    for (const auto& [theirs, ours] : readings) {
        const ClassDistances distances(imagenet_hierarchy(), imagenet_classes(),
                                       distance_named(ours));
        std::size_t looked_at = 0;
        for (const auto& pair : expected["wordnet"]["pairs"]) {
            const auto i = pair["i"].get<std::uint32_t>(), j = pair["j"].get<std::uint32_t>();
            EXPECT_EQ(imagenet_classes().id(i), pair["wnid_i"]);
            EXPECT_EQ(distances(i, j), pair[theirs].get<double>()) << ours << " " << pair;
            ++looked_at;
        }
        EXPECT_EQ(looked_at, 20U);
        EXPECT_EQ(sums_of(distances).sum,
                  expected["wordnet"]["stats"][theirs]["sum_units"].get<std::uint64_t>());
    }
}

/// The distances by their definition, for one pair at a time.
class ByDefinition {
public:
    ByDefinition(const Hierarchy& h) : h_(h) {}
    std::vector<std::vector<std::uint32_t>> ways(std::uint32_t node) const {
        if (node == h_.root()) return {{node}};
        std::vector<std::vector<std::uint32_t>> all;
        for (const std::uint32_t p : h_.parents(node)) {
            for (auto way : ways(p)) {
                way.push_back(node);
                all.push_back(way);
            }
        }
        return all;
    }
    double tree_path(std::uint32_t a, std::uint32_t b) const {
        double best = 1e9;
        for (const auto& x : ways(a)) {
            for (const auto& y : ways(b)) {
                double sum = 0;
                for (std::size_t k = 0; k + 1 < std::max(x.size(), y.size()); ++k) {
                    const bool common =
                        k + 1 < x.size() && k + 1 < y.size() &&
                        std::equal(x.begin(), x.begin() + static_cast<long>(k) + 2, y.begin());
                    if (common) continue;
                    sum += (k + 1 < x.size() ? std::pow(2.0, -static_cast<double>(k)) : 0) +
                           (k + 1 < y.size() ? std::pow(2.0, -static_cast<double>(k)) : 0);
                }
                best = std::min(best, sum);
            }
        }
        return best;
    }
    /// The algorithm of Floyd and Warshall, with edges of weight 2^-depth.
    std::vector<std::vector<double>> graph(bool most) const {
        std::vector<std::vector<double>> d(h_.size(), std::vector<double>(h_.size(), 1e9));
        for (std::uint32_t n = 0; n < h_.size(); ++n) {
            d[n][n] = 0;
            for (const std::uint32_t p : h_.parents(n)) {
                std::size_t depth = most ? 0 : 1000;
                for (const auto& way : ways(p)) {
                    depth =
                        most ? std::max(depth, way.size() - 1) : std::min(depth, way.size() - 1);
                }
                d[n][p] = d[p][n] = std::pow(2.0, -static_cast<double>(depth));
            }
        }
        for (std::uint32_t k = 0; k < h_.size(); ++k) {
            for (std::uint32_t i = 0; i < h_.size(); ++i) {
                for (std::uint32_t j = 0; j < h_.size(); ++j)
                    d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
            }
        }
        return d;
    }

private:
    const Hierarchy& h_;
};

TEST(ClassDistances, SmallRandomHierarchiesByDefinition) {
    for (std::uint64_t world = 0; world < 40; ++world) {
        RandomStream random(world, "hierarchies of tests");
        const auto nodes = static_cast<std::uint32_t>(5 + random.below(12));
        std::vector<std::string> ids;
        std::vector<Hierarchy::Edge> edges;
        std::vector<bool> leaf(nodes, true);
        for (std::uint32_t n = 0; n < nodes; ++n) {
            ids.push_back("node" + std::to_string(n));
            std::set<std::uint32_t> above;
            for (std::uint64_t p = 0; n > 0 && p <= random.below(3); ++p)
                above.insert(static_cast<std::uint32_t>(random.below(n)));
            for (const std::uint32_t p : above) {
                edges.push_back({n, p});
                leaf[p] = false;
            }
        }
        const Hierarchy h(ids, {}, edges, "test");
        std::vector<std::string> classes;
        std::vector<std::uint32_t> places;
        for (std::uint32_t n = 0; n < nodes; ++n) {
            if (!leaf[n]) continue;
            classes.push_back(ids[n]);
            places.push_back(n);
        }
        const ByDefinition slow(h);
        const ClassList list(classes);
        const ClassDistances tree(h, list, DistanceReading::tree_path),
            least(h, list, DistanceReading::graph_full_min),
            most(h, list, DistanceReading::graph_full_max);
        const auto slow_least = slow.graph(false), slow_most = slow.graph(true);
        for (std::uint32_t a = 0; a < places.size(); ++a) {
            for (std::uint32_t b = 0; b < places.size(); ++b) {
                EXPECT_EQ(tree(a, b), slow.tree_path(places[a], places[b])) << world;
                EXPECT_EQ(least(a, b), slow_least[places[a]][places[b]]) << world;
                EXPECT_EQ(most(a, b), slow_most[places[a]][places[b]]) << world;
            }
        }
    }
}

TEST(ClassDistances, TwoPaperExamplesAndTheCommonChild) {
    const ClassDistances tree(imagenet_hierarchy(), imagenet_classes(), DistanceReading::tree_path);
    EXPECT_EQ(tree(562, 497), 11.0 / 128);  // the classes fountain and church, as in figure 2
    EXPECT_EQ(tree(97, 137), 30.0 / 8192);  // the classes drake and American coot
    // a and b share a child. The path in the graph goes through it, and the path in the tree does
    // not.
    const Hierarchy h({"root", "a", "b", "x", "y", "shared"}, {},
                      {{1, 0}, {2, 0}, {3, 1}, {4, 2}, {5, 1}, {5, 2}}, "test");
    const ClassList classes({"x", "y", "shared"});
    EXPECT_EQ(ClassDistances(h, classes, DistanceReading::tree_path)(0, 1), 3.0);
    EXPECT_EQ(ClassDistances(h, classes, DistanceReading::graph_full_min)(0, 1), 2.0);
    EXPECT_EQ(ClassDistances(h, classes, DistanceReading::hop)(0, 1), 4.0);
    EXPECT_EQ(ClassDistances(h, classes, DistanceReading::zero_one)(0, 1), 1.0);
    EXPECT_EQ(ClassDistances(3)(2, 2), 0.0);
}

TEST(ClassDistances, WhatItRefuses) {
    const Hierarchy h({"root", "cat", "dog"}, {}, {{1, 0}, {2, 0}}, "test");
    const auto refused = [&](std::vector<std::string> classes) {
        return message_of([&] { ClassDistances(h, ClassList(std::move(classes)), {}); });
    };
    EXPECT_THAT(refused({"cat", "dogs", "zebra"}),
                HasSubstr("2 of 3 classes are not nodes of the hierarchy"));
    EXPECT_THAT(refused({"cat", "dogs"}), HasSubstr("`dogs` (nearest: `dog`)"));
    EXPECT_THAT(message_of([] { distance_named("tree_pth"); }, ErrorCode::usage),
                HasSubstr("did you mean `tree_path`"));
    std::vector<std::string> ids{"0"};
    std::vector<Hierarchy::Edge> edges;
    for (std::uint32_t n = 1; n < 30; ++n) {
        ids.push_back(std::to_string(n));
        edges.push_back({n, n - 1});
    }
    const Hierarchy deep(ids, {}, edges, "test");
    EXPECT_THAT(message_of([&] {
                    ClassDistances(deep, ClassList({"22", "21"}), {});
                }),
                HasSubstr("`22` is 22 edges below the root"));
    EXPECT_EQ(ClassDistances(deep, ClassList({"21", "20"}), {}).units(0, 1), 1U);
    EXPECT_EQ(ClassDistances(deep, ClassList({"29", "1"}), DistanceReading::hop)(0, 1), 28.0);
}

}  // namespace
}  // namespace assay::mad
