// Tests which images are chosen for questions, and how many images each represents.
#include "mad/asking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/hierarchy.h"
#include "assay/mad/distance.h"
#include "assay/mad/questions.h"
#include "assay/mad/select.h"
#include "core/random.h"
#include "expected_mad.h"
#include "real_predictions.h"
#include "shared_worlds.h"

namespace assay::mad {
namespace {

using nlohmann::json;
using shared_test::shared_world;
using shared_test::SharedWorld;
using shared_test::Sharing;
using shared_test::WorldPlace;

/// All places (image and pair) of a competition, and the answers that people would give.
struct AskableWorld {
    std::uint32_t m = 0;
    AnsweredPlaces all;
    std::vector<ListedPlace> places;  ///< the same places as `all`
    std::vector<double> cost;         ///< the questions that each image costs
    double questions = 0;

    explicit AskableWorld(const SharedWorld& world) : m(world.m) {
        for (std::uint32_t p = 0; p < world.pairs.size(); ++p)
            all.pairs.push_back({world.pairs[p][0], world.pairs[p][1], world.list(p)});
        std::map<std::uint64_t, std::size_t> number;
        std::vector<std::vector<std::uint32_t>> labels;
        for (const WorldPlace& place : world.places) {
            const auto [at, fresh] = number.try_emplace(place.image, number.size());
            if (fresh) labels.emplace_back();
            all.places.push_back({.pair = place.pair,
                                  .image = at->second,
                                  .first = place.first,
                                  .second = place.second});
            places.push_back({place.pair, at->second, place.first_label, place.second_label});
            for (const std::uint32_t label : {place.first_label, place.second_label}) {
                std::vector<std::uint32_t>& own = labels[at->second];
                if (std::find(own.begin(), own.end(), label) == own.end()) own.push_back(label);
            }
        }
        for (const auto& own : labels) {
            cost.push_back(static_cast<double>(own.size()));
            questions += cost.back();
        }
    }
    Posterior of_lists(const AnsweredPlaces& answered) const {
        PosteriorOptions options;
        options.lists_alone = true;
        options.draws = 100;
        return posterior_of(m, answered, options);
    }
};

double kendall(const Posterior& a, const Posterior& b) {
    double sum = 0, pairs = 0;
    for (std::size_t i = 0; i < a.scores.size(); ++i) {
        for (std::size_t j = i + 1; j < a.scores.size(); ++j, ++pairs)
            sum += (*a.scores[i].value > *a.scores[j].value) ==
                           (*b.scores[i].value > *b.scores[j].value)
                       ? 1
                       : -1;
    }
    return sum / pairs;
}

struct Asked {
    std::vector<double> claimed, realised;  ///< results after each tenth of the questions
};
Asked ask(const AskableWorld& world, AskOrder order, std::uint64_t seed) {
    const std::size_t images = world.cost.size();
    const Posterior end = world.of_lists(world.all);
    std::vector<std::size_t> left(images), drawn;
    for (std::size_t g = 0; g < images; ++g) left[g] = g;
    std::vector<double> probabilities, influence, weight(images, 1.0);
    AnsweredPlaces answered;
    answered.pairs = world.all.pairs;
    const auto update = [&] {
        const std::vector<double> found = inclusion_weights(images, probabilities);
        for (std::size_t t = 0; t < drawn.size(); ++t) weight[drawn[t]] = found[t];
        std::vector<bool> there(images, false);
        for (const std::size_t g : drawn) there[g] = true;
        answered.places.clear();
        std::map<std::uint64_t, bool> any;
        for (AnsweredPlace place : world.all.places) {
            if (!there[place.image]) continue;
            place.weight = weight[place.image];
            any[place.image] |= place.first || place.second;
            answered.places.push_back(place);
        }
        OrderSoFar so_far;
        const Posterior now = world.of_lists(answered);
        if (!drawn.empty()) {
            for (const Estimate& score : now.scores) so_far.scores.push_back(*score.value);
            so_far.variance = now.variance;
        }
        so_far.images = any.size();
        for (const auto& [image, correct] : any) so_far.none_correct += correct ? 0 : 1;
        influence = expected_influence(world.m, images, world.places, answered, so_far);
        return now;
    };
    update();
    Asked out;
    double spent = 0, next = .05;
    RandomStream random(seed, "draws of tests");
    while (out.claimed.size() < 9) {
        std::vector<double> of_left, cost_left, q;
        for (const std::size_t g : left) {
            of_left.push_back(influence[g]);
            cost_left.push_back(world.cost[g]);
        }
        q = order == AskOrder::information
                ? draw_probabilities(of_left, cost_left)
                : std::vector<double>(left.size(), 1 / static_cast<double>(left.size()));
        const double u = random.uniform();
        double sum = 0;
        std::size_t at = 0;
        while (at + 1 < q.size() && (sum += q[at]) <= u) ++at;
        drawn.push_back(left[at]);
        probabilities.push_back(q[at]);
        spent += world.cost[left[at]];
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
        for (; spent >= next * world.questions && out.claimed.size() < 9; next += .05) {
            const Posterior now = update();
            if (std::lround(next * 20) % 2 == 1) continue;
            out.claimed.push_back(1 - 2 * now.error);
            out.realised.push_back(kendall(now, end));
        }
    }
    return out;
}

TEST(MadAsking, ReferenceNumbers) {
    std::ifstream file(ASSAY_SOURCE_DIR "/../shared/spec/fixtures/competition-shared-images.json");
    if (!file)
        GTEST_SKIP() << "SKIPPED: ../shared/spec/fixtures/competition-shared-images.json is absent";
    const json fixture = json::parse(file);
    for (const json& one : fixture["weights_check"]) {
        const std::vector<double> found = inclusion_weights(
            one["images"].get<std::uint64_t>(), one["probabilities"].get<std::vector<double>>());
        ASSERT_EQ(found.size(), one["weights"].size());
        for (std::size_t t = 0; t < found.size(); ++t)
            EXPECT_NEAR(found[t], one["weights"][t].get<double>(), 1e-7);
    }
    const json& block = fixture["asking"];
    const std::vector<std::uint64_t> ids = block["images"];
    const auto number = [&](std::uint64_t id) {
        return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
    };
    AnsweredPlaces answered;
    for (std::uint32_t i = 0; i < 4; ++i)
        for (std::uint32_t j = i + 1; j < 4; ++j) answered.pairs.push_back({i, j, 0});
    std::vector<ListedPlace> places;
    for (const json& place : block["all_places"]) {
        const std::uint32_t pair = place[0];
        ++answered.pairs[pair].list;
        places.push_back({pair, number(place[1]), place[2], place[3]});
    }
    const std::vector<double> cost = block["cost"];
    const std::vector<double> before = expected_influence(4, ids.size(), places, answered, {});
    const std::vector<double> first = draw_probabilities(before, cost);
    for (std::size_t g = 0; g < ids.size(); ++g) {
        EXPECT_NEAR(before[g], block["score_before"][g].get<double>(), 1e-7);
        EXPECT_NEAR(first[g], block["first_probabilities"][g].get<double>(), 1e-7);
    }
    std::vector<std::size_t> left(ids.size());
    for (std::size_t g = 0; g < left.size(); ++g) left[g] = g;
    std::vector<double> probabilities;
    std::map<std::size_t, double> weight;
    for (std::size_t t = 0; t < 8; ++t) {
        std::vector<double> of_left, cost_left;
        for (const std::size_t g : left) {
            of_left.push_back(before[g]);
            cost_left.push_back(cost[g]);
        }
        const std::vector<double> q = draw_probabilities(of_left, cost_left);
        double sum = 0;
        std::size_t at = 0;
        while ((sum += q[at]) <= block["uniforms"][t].get<double>()) ++at;
        EXPECT_EQ(ids[left[at]], block["drawn"][t].get<std::uint64_t>());
        EXPECT_NEAR(q[at], block["probabilities"][t].get<double>(), 1e-7);
        probabilities.push_back(q[at]);
        weight[left[at]] = 0;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
    }
    const std::vector<double> weights = inclusion_weights(ids.size(), probabilities);
    for (std::size_t t = 0; t < 8; ++t) {
        EXPECT_NEAR(weights[t], block["weights"][t].get<double>(), 1e-7);
        weight[number(block["drawn"][t])] = weights[t];
    }
    OrderSoFar so_far;
    std::map<std::size_t, bool> any;
    for (const json& place : block["all_places"]) {
        const std::size_t g = number(place[1]);
        if (!weight.contains(g)) continue;
        const bool a = place[4] == 1, b = place[5] == 1;
        any[g] |= a || b;
        answered.places.push_back(
            {.pair = place[0], .image = g, .first = a, .second = b, .weight = weight[g]});
    }
    so_far.images = any.size();
    for (const auto& [g, correct] : any) so_far.none_correct += correct ? 0 : 1;
    PosteriorOptions options;
    options.lists_alone = true;
    const Posterior now = posterior_of(4, answered, options);
    for (const Estimate& score : now.scores) so_far.scores.push_back(*score.value);
    so_far.variance = now.variance;
    const std::vector<double> after = expected_influence(4, ids.size(), places, answered, so_far);
    for (std::size_t g = 0; g < ids.size(); ++g) {
        const double expected = block["score_after"][g];
        EXPECT_NEAR(after[g], expected, 1e-7 * std::max(1.0, expected));
    }
}

TEST(MadAsking, WeightsStandForTheirStratum) {
    // Over 10,000 random designs, the mean of the sum of weights is the number of images. The mean
    // of the weighted sum of the images' values is their total.
    constexpr std::size_t images = 12, draws = 5;
    std::array<double, images> say{}, likely{};
    double total = 0;
    for (std::size_t g = 0; g < images; ++g) {
        say[g] = static_cast<double>(g * g % 7);
        likely[g] = 1 + static_cast<double>(g % 5);
        total += say[g];
    }
    double sum = 0, weighted = 0;
    RandomStream random(3, "designs of tests");
    for (int run = 0; run < 10'000; ++run) {
        std::vector<std::size_t> left, drawn;
        for (std::size_t g = 0; g < images; ++g) left.push_back(g);
        std::vector<double> q;
        for (std::size_t t = 0; t < draws; ++t) {
            double all = 0;
            for (const std::size_t g : left) all += likely[g];
            double u = random.uniform() * all;
            std::size_t at = 0;
            while (at + 1 < left.size() && u >= likely[left[at]]) u -= likely[left[at++]];
            q.push_back(likely[left[at]] / all);
            drawn.push_back(left[at]);
            left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
        }
        const std::vector<double> weights = inclusion_weights(images, q);
        for (std::size_t t = 0; t < draws; ++t) {
            sum += weights[t] / 10'000;
            weighted += weights[t] * say[drawn[t]] / 10'000;
        }
    }
    EXPECT_NEAR(sum, images, .01 * images);
    EXPECT_NEAR(weighted, total, .01 * total);
    EXPECT_EQ(inclusion_weights(3, std::vector<double>{.2, .3, 1}), (std::vector<double>{1, 1, 1}));
}

/// The lists of the real competition: 30 images for each pair. 224 of them are distinct.
SharedWorld real_world(const RealPredictions& real, double threshold) {
    const ClassDistances distances(imagenet_hierarchy(), imagenet_classes(),
                                   DistanceReading::tree_path);
    SharedWorld world;
    world.m = RealPredictions::classifiers;
    for (std::uint32_t i = 0; i < world.m; ++i) {
        for (std::uint32_t j = i + 1; j < world.m; ++j) {
            const auto pair = static_cast<std::uint32_t>(world.pairs.size());
            world.pairs.push_back({i, j});
            PairSketch sketch(distances, {});
            for (std::size_t x = 0; x < real.truths.size(); ++x) {
                const std::uint16_t a = real.labels[i][x], b = real.labels[j][x];
                const double least = std::min(real.confidences[i][x], real.confidences[j][x]);
                if (a != b && quantised(least) >= threshold_of(threshold))
                    sketch.offer(x, a, b, quantised(least), x);
            }
            for (const Candidate& c : select_of(sketch.candidates(), {})) {
                const std::int64_t truth = real.truths[c.image];
                world.places.push_back({pair, c.image, c.first_label == truth,
                                        c.second_label == truth, c.first_label, c.second_label});
            }
        }
    }
    return world;
}

/// The part of the questions after which the mean correlation is .9, interpolated between tenths.
double part_for_nine_tenths(std::span<const double> realised) {
    double before = 0;
    for (std::size_t t = 0; t < realised.size(); ++t) {
        if (realised[t] >= .9)
            return (static_cast<double>(t) + (.9 - before) / (realised[t] - before)) / 10;
        before = realised[t];
    }
    return 1;
}

TEST(MadAskingSimulation, TellsMoreThanRandomImagesOnRealLists) {
    // ASSAY_DRAWS=250 gives the figures of docs/competition.md.
    const char* const asked_draws = std::getenv("ASSAY_DRAWS");
    const int runs = asked_draws != nullptr ? std::atoi(asked_draws) : 48;
    ASSAY_REAL_PREDICTIONS(real);
    for (const double threshold : {.5, .8}) {
        const AskableWorld world(real_world(*real, threshold));
        if (threshold == .5) {
            EXPECT_EQ(world.cost.size(), 224U);
            EXPECT_EQ(world.questions, 461);
        }
        std::array<double, 9> mean[2] = {}, square[2] = {}, claimed[2] = {};
        for (const AskOrder order : {AskOrder::information, AskOrder::random}) {
            const auto o = static_cast<std::size_t>(order);
            for (std::uint64_t run = 0; run < static_cast<std::uint64_t>(runs); ++run) {
                const Asked asked = ask(world, order, run);
                for (std::size_t t = 0; t < 9; ++t) {
                    mean[o][t] += asked.realised[t] / runs;
                    square[o][t] += asked.realised[t] * asked.realised[t] / runs;
                    claimed[o][t] += asked.claimed[t] / runs;
                }
            }
            std::printf("T %.1f %s:", threshold, std::string(name_of(order)).c_str());
            for (std::size_t t = 0; t < 9; ++t)
                std::printf(" %.2f/%.3f", claimed[o][t], mean[o][t]);
            double most = 0;
            for (std::size_t t = 0; t < 9; ++t)
                most = std::max(most, square[o][t] - mean[o][t] * mean[o][t]);
            std::printf("; .9 after %.3f of the questions; standard errors at most %.3f\n",
                        part_for_nine_tenths(mean[o]), std::sqrt(most / runs));
        }
        // Fewer draws do not tell a fifth from nothing.
        if (runs >= 250) {
            EXPECT_LE(part_for_nine_tenths(mean[0]), .8 * part_for_nine_tenths(mean[1]));
        }
        for (std::size_t t = 0; t < 9; ++t) {
            const double variance =
                square[0][t] - mean[0][t] * mean[0][t] + square[1][t] - mean[1][t] * mean[1][t];
            EXPECT_GE(mean[0][t], mean[1][t] - 2 * std::sqrt(std::max(0.0, variance) / runs)) << t;
        }
    }
}

// In one of two domains, the images that pairs share have the reversed order. The claimed
// probabilities must still hold.
TEST(MadAskingSimulation, IsHonestWhereSharedImagesDiffer) {
    constexpr int runs = 48;
    for (const AskOrder order : {AskOrder::random, AskOrder::information}) {
        std::array<double, 9> claimed{}, realised{};
        for (std::uint64_t run = 0; run < runs; ++run) {
            const AskableWorld world(shared_world(
                {.m = 5, .k = 20, .sharing = Sharing::domains, .images = 2000}, 7000 + run));
            const Asked asked = ask(world, order, run);
            for (std::size_t t = 0; t < 9; ++t) {
                claimed[t] += asked.claimed[t] / runs;
                realised[t] += asked.realised[t] / runs;
            }
        }
        std::printf("%s:", std::string(name_of(order)).c_str());
        for (std::size_t t = 0; t < 9; ++t) std::printf(" %.2f/%.2f", claimed[t], realised[t]);
        std::printf("\n");
        for (std::size_t t = 0; t < 9; ++t) EXPECT_LE(claimed[t], realised[t] + .08) << t;
    }
}

}  // namespace
}  // namespace assay::mad
