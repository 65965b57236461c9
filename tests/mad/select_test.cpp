#include "assay/mad/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "assay/error.h"
#include "assay/mad/ranking.h"
#include "core/cpu.h"
#include "core/random.h"
#include "expected_mad.h"
#include "mad/scan_kernel.h"
#include "message_of.h"
#include "real_predictions.h"

namespace assay::mad {
namespace {

using nlohmann::json;
using testing::ElementsAreArray;
using testing::HasSubstr;

/// Predictions of a few classifiers, and the other inputs of a scan.
struct World {
    std::vector<std::vector<std::uint16_t>> labels;
    std::vector<std::vector<std::uint8_t>> confidences;
    std::vector<std::uint8_t> thresholds;
    std::vector<std::uint64_t> parents, excluded;

    std::size_t images() const { return labels[0].size(); }
    ScanInput part(std::size_t begin, std::size_t end) const {
        ScanInput input;
        for (std::size_t c = 0; c < labels.size(); ++c) {
            input.classifiers.push_back({std::span(labels[c]).subspan(begin, end - begin),
                                         std::span(confidences[c]).subspan(begin, end - begin)});
        }
        input.thresholds = thresholds;
        input.first_image = begin;
        if (!parents.empty()) input.parents = std::span(parents).subspan(begin, end - begin);
        input.excluded = excluded;
        return input;
    }
};

std::vector<std::uint64_t> images_of(const std::vector<Candidate>& list) {
    std::vector<std::uint64_t> images;
    for (const Candidate& c : list) images.push_back(c.image);
    return images;
}

/// A reference implementation in memory, by the definition.
class Offline {
public:
    Offline(const World& world, const ClassDistances& distances, const SelectionRule& rule,
            std::uint32_t i, std::uint32_t j)
        : rule_(rule) {
        for (std::uint64_t x = 0; x < world.images(); ++x) {
            const std::uint16_t a = world.labels[i][x], b = world.labels[j][x];
            const std::uint8_t p = world.confidences[i][x], q = world.confidences[j][x];
            if (a == b || a == no_label || b == no_label) continue;
            if (p < world.thresholds[i] || q < world.thresholds[j]) continue;
            if (std::count(world.excluded.begin(), world.excluded.end(), x) > 0) continue;
            all_.push_back({x, distances.units(a, b), a, b, std::min(p, q),
                            world.parents.empty() ? x : world.parents[x]});
        }
        std::sort(all_.begin(), all_.end(),
                  [&](const auto& a, const auto& b) { return comes_before(a, b, rule); });
    }
    const std::vector<Candidate>& all() const { return all_; }

    std::vector<std::uint64_t> select(const std::vector<std::uint64_t>& stays,
                                      const std::vector<std::uint64_t>& gone) const {
        const auto in = [](const std::vector<std::uint64_t>& list, std::uint64_t x) {
            return std::find(list.begin(), list.end(), x) != list.end();
        };
        std::set<std::uint64_t> gone_parents;
        for (const Candidate& c : all_) {
            if (rule_.one_of_a_parent && in(gone, c.image)) gone_parents.insert(c.parent);
        }
        std::vector<Candidate> open, chosen;
        for (const Candidate& c : all_) {
            if (in(gone, c.image) || gone_parents.contains(c.parent)) continue;
            if (in(stays, c.image)) chosen.push_back(c);
            open.push_back(c);
        }
        std::map<std::uint32_t, int> looked;
        for (const Candidate& c : open) {
            if (rule_.mode == CapMode::official) {
                const int x = ++looked[c.first_label], y = ++looked[c.second_label];
                const auto cap = static_cast<int>(rule_.cap);
                if (x > cap || y > cap || chosen.size() >= rule_.k || in(stays, c.image)) continue;
                const bool again = std::any_of(chosen.begin(), chosen.end(), [&](const auto& d) {
                    return std::minmax(d.first_label, d.second_label) ==
                           std::minmax(c.first_label, c.second_label);
                });
                if (!again) chosen.push_back(c);
                continue;
            }
            if (chosen.size() >= rule_.k) break;
            if (in(stays, c.image)) continue;
            const auto with = [&](auto&& same) {
                return static_cast<std::uint32_t>(
                    std::count_if(chosen.begin(), chosen.end(), same));
            };
            const auto one = [&](const Candidate& d) { return d.first_label == c.first_label; };
            const auto two = [&](const Candidate& d) { return d.second_label == c.second_label; };
            const auto shows = [](std::uint16_t label) {
                return [label](const Candidate& d) {
                    return d.first_label == label || d.second_label == label;
                };
            };
            if (rule_.mode == CapMode::side && (with(one) >= rule_.cap || with(two) >= rule_.cap))
                continue;
            if (rule_.mode == CapMode::first && with(one) >= rule_.cap) continue;
            if (rule_.mode == CapMode::shared && (with(shows(c.first_label)) >= rule_.cap ||
                                                  with(shows(c.second_label)) >= rule_.cap))
                continue;
            if (rule_.one_of_a_parent &&
                with([&](const Candidate& d) { return d.parent == c.parent; }) > 0)
                continue;
            chosen.push_back(c);
        }
        std::sort(chosen.begin(), chosen.end(),
                  [&](const auto& a, const auto& b) { return comes_before(a, b, rule_); });
        return images_of(chosen);
    }

private:
    SelectionRule rule_;
    std::vector<Candidate> all_;
};

/// Classes in a random binary tree, so that few distances occur and many ties.
ClassDistances random_distances(std::uint32_t classes, RandomStream& random) {
    std::vector<std::string> ids;
    std::vector<Hierarchy::Edge> edges;
    for (std::uint32_t n = 0; n < 2 * classes; ++n) {
        ids.push_back("n" + std::to_string(n));
        const std::uint32_t above = n < classes ? n : n - classes;
        if (n >= classes) edges.push_back({n, above});
        if (n > 0 && n < classes)
            edges.push_back({n, static_cast<std::uint32_t>(random.below(std::min(n, 4U)))});
    }
    const ClassList leaves(std::vector<std::string>(ids.begin() + classes, ids.end()));
    return ClassDistances(Hierarchy(ids, {}, edges, "test"), leaves, DistanceReading::tree_path);
}

World random_world(RandomStream& random, std::size_t classifiers, std::size_t images,
                   std::uint32_t classes, bool parents) {
    World world;
    world.labels.resize(classifiers);
    world.confidences.resize(classifiers);
    const std::uint64_t favourites = 1 + random.below(classes);
    for (std::size_t c = 0; c < classifiers; ++c) {
        for (std::size_t x = 0; x < images; ++x) {
            const bool none = random.below(50) == 0;
            world.labels[c].push_back(none ? no_label
                                           : static_cast<std::uint16_t>(random.below(
                                                 random.below(2) == 0 ? favourites : classes)));
            world.confidences[c].push_back(static_cast<std::uint8_t>(200 + random.below(56)));
        }
        world.thresholds.push_back(static_cast<std::uint8_t>(200 + random.below(20)));
    }
    for (std::size_t x = 0; parents && x < images; ++x)
        world.parents.push_back(random.below(images / 5 + 1));
    for (std::size_t x = 0; x < images; ++x) {
        if (random.below(20) == 0) world.excluded.push_back(x);
    }
    return world;
}

// The selection equals that from all candidates in memory, also after rejections. This holds for
// any chunks and any order of merging their sketches.
TEST(Selection, StreamedAndMergedIsTheGreedyOne) {
    std::size_t pruned = 0, replaced = 0;
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        SCOPED_TRACE(seed);
        RandomStream random(seed, "selections of tests");
        const auto classes = static_cast<std::uint32_t>(3 + random.below(12));
        const ClassDistances distances = random_distances(classes, random);
        SelectionRule rule;
        rule.k = static_cast<std::uint32_t>(1 + random.below(12));
        rule.cap = static_cast<std::uint32_t>(1 + random.below(3));
        rule.mode = static_cast<CapMode>(seed % 5);
        rule.ties = static_cast<TieOrder>(random.below(3));
        rule.tie_key = random.next_u64();
        rule.seed = seed;
        rule.reserves = static_cast<std::uint32_t>(random.below(6));
        rule.one_of_a_parent = rule.mode != CapMode::official && random.below(3) == 0;
        const World world = random_world(random, 2, 2000, classes, rule.one_of_a_parent);
        const Offline offline(world, distances, rule, 0, 1);
        const ScanPair pair{0, 1};
        // Chunks of random lengths, each with its sketch, merged in a random order.
        std::vector<PairSketch> parts;
        for (std::size_t begin = 0; begin < world.images();) {
            const std::size_t end =
                std::min<std::size_t>(world.images(), begin + 1 + random.below(1500));
            parts.emplace_back(distances, rule);
            scan(world.part(begin, end), {&pair, 1}, {&parts.back(), 1}, 1);
            begin = end;
        }
        for (std::size_t i = parts.size(); i > 1; --i)
            std::swap(parts[i - 1], parts[random.below(i)]);
        PairSketch merged(distances, rule);
        for (const PairSketch& part : parts) merged.merge(part);
        EXPECT_EQ(merged.offered(), offline.all().size());
        const std::vector<Candidate> candidates = merged.candidates();
        pruned += candidates.size() < offline.all().size() ? 1 : 0;

        const std::vector<std::uint64_t> first = images_of(select_of(candidates, rule));
        ASSERT_EQ(first, offline.select({}, {}));
        std::vector<Candidate> stay, leave;
        for (const Candidate& c : select_of(candidates, rule))
            (leave.size() < rule.reserves && random.below(3) == 0 ? leave : stay).push_back(c);
        const std::vector<std::uint64_t> stays = images_of(stay), gone = images_of(leave);
        const std::vector<std::uint64_t> second =
            images_of(select_of(candidates, rule, stay, leave));
        ASSERT_EQ(second, offline.select(stays, gone));
        EXPECT_LE(second.size(), rule.k);
        for (const std::uint64_t x : stays)
            EXPECT_EQ(std::count(second.begin(), second.end(), x), 1);
        for (const std::uint64_t x : gone)
            EXPECT_TRUE(std::count(second.begin(), second.end(), x) == 0);
        replaced += second.size() > stays.size() ? 1 : 0;
    }
    EXPECT_GT(pruned, 80U);
    EXPECT_GT(replaced, 20U);
}

TEST(Selection, ThreadsAndOrderOfClassifiersDoNotMatter) {
    RandomStream random(7, "selections of tests");
    const ClassDistances distances = random_distances(9, random);
    const World world = random_world(random, 4, 20'000, 9, false);
    const SelectionRule rule{.k = 10, .cap = 2};
    std::vector<ScanPair> pairs;
    for (std::uint32_t i = 0; i < 4; ++i) {
        for (std::uint32_t j = i + 1; j < 4; ++j) pairs.push_back({i, j});
    }
    std::vector<std::vector<std::uint64_t>> expected;
    for (const int threads : {1, 2, 5}) {
        std::vector<PairSketch> sketches(pairs.size(), PairSketch(distances, rule));
        scan(world.part(0, world.images()), pairs, sketches, threads);
        std::vector<std::vector<std::uint64_t>> found;
        for (const PairSketch& s : sketches)
            found.push_back(images_of(select_of(s.candidates(), rule)));
        if (expected.empty()) expected = found;
        EXPECT_EQ(found, expected);
    }
    // With the classifiers exchanged, the selection is the same.
    const ScanPair turned{3, 1};
    PairSketch sketch(distances, rule);
    scan(world.part(0, world.images()), {&turned, 1}, {&sketch, 1});
    EXPECT_EQ(images_of(select_of(sketch.candidates(), rule)), expected[4]);
}

TEST(Selection, ReferenceImages) {
    ASSAY_EXPECTED_MAD(expected);
    const json& block = expected["selection"];
    World world;
    for (std::size_t c = 0; c < 3; ++c) {
        world.labels.push_back(block["labels"][c].get<std::vector<std::uint16_t>>());
        std::vector<std::uint8_t> confidences;
        for (const double p : block["confidence"][c]) confidences.push_back(quantised(p));
        world.confidences.push_back(confidences);
        world.thresholds.push_back(threshold_of(block["T"]));
    }
    const ClassDistances distances(imagenet_hierarchy(), imagenet_classes(),
                                   DistanceReading::tree_path);
    const std::map<std::string, CapMode> modes = {{"none", CapMode::none},
                                                  {"i", CapMode::first},
                                                  {"side", CapMode::side},
                                                  {"shared", CapMode::shared},
                                                  {"official", CapMode::official}};
    std::set<std::pair<std::uint64_t, std::uint16_t>> questions;
    std::size_t naive = 0;
    for (const auto& [name, lists] : block["expect"].items()) {
        const ScanPair pair{static_cast<std::uint32_t>(name[0] - '0'),
                            static_cast<std::uint32_t>(name[2] - '0')};
        for (const auto& [theirs, mode] : modes) {
            SelectionRule rule;
            rule.k = block["k"];
            rule.cap = block["cap"];
            rule.mode = mode;
            PairSketch sketch(distances, rule);
            scan(world.part(0, world.images()), {&pair, 1}, {&sketch, 1});
            const std::vector<Candidate> candidates = sketch.candidates();
            EXPECT_EQ(images_of(candidates),
                      lists["candidates_in_order"].get<std::vector<std::uint64_t>>());
            const std::vector<Candidate> chosen = select_of(candidates, rule);
            EXPECT_EQ(images_of(chosen), lists[theirs].get<std::vector<std::uint64_t>>())
                << name << " " << theirs;
            if (mode != CapMode::side) continue;
            for (const Candidate& c : chosen) {
                questions.emplace(c.image, c.first_label);
                questions.emplace(c.image, c.second_label);
                naive += 2;
            }
        }
    }
    EXPECT_EQ(questions.size(), block["side_questions"]["unique"]);
    EXPECT_EQ(naive, block["side_questions"]["naive"]);
}

// Six classifiers on 11,000 variants of photographs. The classes of the images replace the answers
// of annotators.
TEST(Selection, RealRun) {
    ASSAY_EXPECTED_MAD(expected);
    ASSAY_REAL_PREDICTIONS(real);
    World world;
    world.labels = real->labels;
    for (const std::vector<double>& probabilities : real->confidences) {
        auto& own = world.confidences.emplace_back();
        for (const double p : probabilities) own.push_back(quantised(p));
    }
    const ClassDistances distances(imagenet_hierarchy(), imagenet_classes(),
                                   DistanceReading::tree_path);
    std::vector<ScanPair> pairs;
    for (std::uint32_t i = 0; i < 6; ++i) {
        for (std::uint32_t j = i + 1; j < 6; ++j) pairs.push_back({i, j});
    }
    for (const json& run : expected["real_run"]) {
        SCOPED_TRACE(run["name"]);
        world.thresholds.assign(6, threshold_of(run["T"]));
        const SelectionRule rule{.k = run["k"]};
        std::vector<PairSketch> sketches(pairs.size(), PairSketch(distances, rule));
        scan(world.part(0, world.images()), pairs, sketches);
        std::vector<PairCounts> counts;
        std::set<std::pair<std::uint64_t, std::uint16_t>> questions;
        std::uint64_t one = 0, neither = 0;
        for (std::size_t p = 0; p < pairs.size(); ++p) {
            PairCounts& pair = counts.emplace_back();
            pair.first = pairs[p].first;
            pair.second = pairs[p].second;
            for (const Candidate& c : select_of(sketches[p].candidates(), rule)) {
                const std::int64_t class_of = real->truths[c.image];
                count(pair, Settled{c.first_label == class_of, false, 5},
                      Settled{c.second_label == class_of, false, 5});
                questions.emplace(c.image, c.first_label);
                questions.emplace(c.image, c.second_label);
            }
            EXPECT_EQ(pair.n(), run["n"][pair.first][pair.second]);
            EXPECT_EQ(pair.first_correct(), run["correct"][pair.first][pair.second]);
            EXPECT_EQ(pair.second_correct(), run["correct"][pair.second][pair.first]);
            EXPECT_EQ(pair.both, 0U);
            one += pair.only_first + pair.only_second;
            neither += pair.neither;
        }
        EXPECT_EQ(questions.size(), run["unique_questions"]);
        EXPECT_EQ(one, run["cases_I_II_III"][1]);
        EXPECT_EQ(neither, run["cases_I_II_III"][2]);
        const PerronRanking ranking = perron(log_ratios(6, counts));
        for (std::size_t c = 0; c < 6; ++c)
            EXPECT_NEAR(ranking.scores[c], run["perron"][c].get<double>(), 1e-12);
    }
}

TEST(Selection, VectorInstructionsGiveTheSameBits) {
    if (!cpu_has_avx2()) GTEST_SKIP() << "SKIPPED: no AVX2 here";
    RandomStream random(3, "kernels of tests");
    for (int round = 0; round < 200; ++round) {
        std::array<std::uint16_t, 64> a{}, b{};
        std::array<std::uint8_t, 64> p{};
        for (std::size_t i = 0; i < 64; ++i) {
            a[i] = static_cast<std::uint16_t>(random.below(round % 2 == 0 ? 3 : 65536));
            b[i] = random.below(2) == 0 ? a[i] : static_cast<std::uint16_t>(random.below(65536));
            p[i] = static_cast<std::uint8_t>(random.below(256));
        }
        const auto t = static_cast<std::uint8_t>(round == 0   ? 0
                                                 : round == 1 ? 255
                                                              : random.below(256));
        EXPECT_EQ(detail::different_avx2(a.data(), b.data()),
                  detail::different_plain(a.data(), b.data()));
        EXPECT_EQ(detail::confident_avx2(p.data(), t), detail::confident_plain(p.data(), t));
    }
}

TEST(Selection, ThresholdsAndQuantiles) {
    for (int t = 0; t <= 200; ++t) {
        const double p = t / 200.0;
        EXPECT_EQ(threshold_of(p), t);
        EXPECT_EQ(quantised(p), t);
        // The neighbouring single-precision probabilities.
        const auto below = std::nextafter(static_cast<float>(p - 1e-9), 0.0F);
        EXPECT_LT(quantised(below), std::max(t, 1));
    }
    // Scores are stored in single precision, in which .9 is slightly below .9.
    for (int t = 100; t <= 200; ++t) {
        const double p = t / 200.0;
        EXPECT_EQ(quantised(double{static_cast<float>(p)}), threshold_of(p)) << p;
        EXPECT_LT(quantised(p - 1e-7), t);
    }
    EXPECT_EQ(quantised_exactly(double{.9F}), 179);
    EXPECT_EQ(threshold_of(.801), 161);
    EXPECT_EQ(quantised(1), 200);
    EXPECT_EQ(quantised(0), 0);
    EXPECT_EQ(threshold_of(0), 0);
    const std::vector<std::uint16_t> labels{1, 2, no_label, 3, 4};
    const std::vector<std::uint8_t> confidences{10, 20, 250, 30, 40};
    EXPECT_EQ(threshold_of_quantile({labels, confidences}, .5), 30);
    EXPECT_EQ(threshold_of_quantile({labels, confidences}, .51), 20);
    EXPECT_EQ(threshold_of_quantile({labels, confidences}, 1), 10);
}

TEST(Selection, WhatItRefuses) {
    const ClassDistances distances(5);
    EXPECT_THAT(message_of([&] { PairSketch(distances, {.k = 0}); }, ErrorCode::usage),
                HasSubstr("k is 0"));
    EXPECT_THAT(message_of([&] { cap_mode_named("sid"); }, ErrorCode::usage),
                HasSubstr("did you mean `side`"));
    EXPECT_THAT(message_of([&] { threshold_of(1.5); }, ErrorCode::usage), HasSubstr("is 1.5"));
    EXPECT_THAT(
        message_of(
            [&] { PairSketch(distances, {.mode = CapMode::official, .one_of_a_parent = true}); },
            ErrorCode::usage),
        HasSubstr("ignores parents"));
    const std::vector<Candidate> two(2);
    EXPECT_THAT(message_of([&] { select_of({}, {.reserves = 1}, {}, two); }, ErrorCode::usage),
                HasSubstr("2 rejected images, but 1 reserves"));
    EXPECT_EQ(quantised(std::nan("")), 0);
    World world;
    world.labels = {{1, 7}, {2, 3}};
    world.confidences = {{255, 255}, {255, 255}};
    world.thresholds = {0, 0};
    const ScanPair pair{0, 1};
    PairSketch sketch(distances, {});
    EXPECT_THAT(
        message_of([&] {
            scan(world.part(0, 2), {&pair, 1}, {&sketch, 1});
        }),
        HasSubstr("classifier 0 predicts the label 7 for image 1, but there are 5 classes"));
    const ScanPair itself{1, 1};
    EXPECT_THAT(message_of(
                    [&] {
                        scan(world.part(0, 1), {&itself, 1}, {&sketch, 1});
                    },
                    ErrorCode::usage),
                HasSubstr("no pair"));
}

TEST(MadSelect, TiesOfAPairHaveAKeyOfTheirOwn) {
    // Another program computed these keys.
    EXPECT_EQ(tie_key_of(0, "a", "b"), 12569916425455595298U);
    EXPECT_EQ(tie_key_of(0, "b", "a"), 12569916425455595298U);
    EXPECT_NE(tie_key_of(1, "a", "b"), tie_key_of(0, "a", "b"));
    const SelectionRule of_pair = {.ties = TieOrder::pair, .tie_key = tie_key_of(0, "a", "b")};
    const Candidate zero{.image = 0, .units = 5}, one{.image = 1, .units = 5};
    // The keys are 9668788414120876033 and 8069536465272549...
    EXPECT_TRUE(comes_before(one, zero, of_pair));
    EXPECT_EQ(tie_order_named("image"), TieOrder::image);
    EXPECT_THAT(message_of([] { tie_order_named("0"); }, ErrorCode::usage),
                testing::HasSubstr("`0`; allowed: pair, image"));
}

}  // namespace
}  // namespace assay::mad
