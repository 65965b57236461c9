// Compares the probabilities that a ranking claims with the truth, if pairs share images.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "assay/error.h"
#include "assay/mad/posterior.h"
#include "expected_mad.h"
#include "mad/score_mixture.h"
#include "mad/working_scores.h"
#include "message_of.h"
#include "posterior_reference.h"
#include "shared_worlds.h"

namespace assay::mad {
namespace {

using nlohmann::json;
using reference_test::small_reference;
using shared_test::settings_of_table;
using shared_test::shared_world;
using shared_test::SharedWorld;
using shared_test::Sharing;
using shared_test::WorldPlace;
using shared_test::WorldSetting;
using testing::HasSubstr;

/// Sums of the claimed and of the realised values over competitions.
struct Claims {
    std::string name;
    std::function<bool(const WorldSetting&)> of;
    double competitions = 0, claimed = 0, realised = 0;
    /// Groups of claimed probabilities: .80-.95, .95-.99, and above.
    std::array<double, 3> said{}, right{}, orders{};
    double ranks = 0, held = 0, width = 0, scores = 0;

    void add(const SharedWorld& world, const Posterior& found) {
        ++competitions;
        claimed += 1 - 2 * found.error;
        const std::size_t m = world.m;
        const double pairs = static_cast<double>(m * (m - 1)) / 2;
        for (std::size_t a = 0; a < m; ++a) {
            for (std::size_t b = 0; b < m; ++b) {
                const bool before = world.truth[a] > world.truth[b];
                const double p = found.better.at(a, b);
                if (a < b)
                    realised +=
                        (before == (*found.scores[a].value > *found.scores[b].value) ? 1 : -1) /
                        pairs;
                if (a == b || p < .8) continue;
                const std::size_t bin = p < .95 ? 0 : p < .99 ? 1 : 2;
                said[bin] += p;
                right[bin] += before;
                ++orders[bin];
            }
        }
        const std::vector<double> places = places_of(world.truth);
        for (std::size_t a = 0; a < m; ++a) {
            const Interval &rank = *found.ranks[a].interval, &score = *found.scores[a].interval;
            ++ranks;
            held += rank.low <= places[a] && places[a] <= rank.high;
            width += rank.high - rank.low;
            scores += score.low <= world.truth[a] && world.truth[a] <= score.high;
        }
    }
    double said_of(std::size_t bin) const { return said[bin] / orders[bin]; }
    double right_of(std::size_t bin) const { return right[bin] / orders[bin]; }
    void print() const {
        std::printf(
            "%-12s %5.0f  Kendall %.3f/%.3f  P .80-.95 %.3f/%.3f  .95-.99 %.3f/%.3f  above "
            "%.4f/%.4f  90%% ranks %.3f, width %.2f  scores %.3f\n",
            name.c_str(), competitions, claimed / competitions, realised / competitions, said_of(0),
            right_of(0), said_of(1), right_of(1), said_of(2), right_of(2), held / ranks,
            width / ranks, scores / ranks);
    }
};

AnsweredPlaces answered_world(const SharedWorld& world) {
    AnsweredPlaces answered;
    for (std::uint32_t p = 0; p < world.pairs.size(); ++p)
        answered.pairs.push_back({world.pairs[p][0], world.pairs[p][1], world.list(p)});
    for (const WorldPlace& place : world.places)
        answered.places.push_back({.pair = place.pair,
                                   .image = place.image,
                                   .first = place.first,
                                   .second = place.second});
    return answered;
}
Posterior posterior_of_world(const SharedWorld& world, const PosteriorOptions& options) {
    return posterior_of(world.m, answered_world(world), options);
}

std::vector<Claims> rows_of_table() {
    std::vector<Claims> rows;
    const auto row = [&](std::string name, std::function<bool(const WorldSetting&)> of) {
        Claims& one = rows.emplace_back();
        one.name = std::move(name);
        one.of = std::move(of);
    };
    row("all", [](const WorldSetting&) { return true; });
    for (const Sharing sharing : {Sharing::own, Sharing::pool, Sharing::total})
        row(std::string(name_of(sharing)),
            [=](const WorldSetting& s) { return s.sharing == sharing; });
    for (const std::uint32_t m : {3U, 6U, 11U, 20U})
        row(fmt::format("m = {}", m), [=](const WorldSetting& s) { return s.m == m; });
    for (const std::uint32_t k : {5U, 15U, 30U, 60U})
        row(fmt::format("k = {}", k), [=](const WorldSetting& s) { return s.k == k; });
    for (const double spread : {.1, .35, 1.0})
        row(fmt::format("spread {}", spread),
            [=](const WorldSetting& s) { return s.spread == spread; });
    row("families", [](const WorldSetting& s) { return s.families; });
    row("wrong", [](const WorldSetting& s) { return s.wrong > 0; });
    return rows;
}

std::vector<Claims> table_of(const std::vector<WorldSetting>& settings, std::uint64_t runs,
                             std::uint64_t first_seed) {
    std::vector<Claims> rows = rows_of_table();
    std::uint64_t seed = first_seed;
    for (const WorldSetting& setting : settings) {
        for (std::uint64_t run = 0; run < runs; ++run) {
            const SharedWorld world = shared_world(setting, ++seed);
            const Posterior found =
                posterior_of_world(world, {.level = .9, .draws = 500, .seed = seed});
            for (Claims& row : rows)
                if (row.of(setting)) row.add(world, found);
        }
    }
    std::erase_if(rows, [](const Claims& row) { return row.competitions == 0; });
    for (const Claims& row : rows) row.print();
    return rows;
}

TEST(MadSharedWorlds, AreWhatTheySay) {
    WorldSetting setting;
    const auto images = [&](Sharing sharing) {
        setting.sharing = sharing;
        return shared_world(setting, 1).different_images();
    };
    // There are 15 pairs with 30 images each.
    EXPECT_GT(images(Sharing::own), 400U);
    EXPECT_LE(images(Sharing::pool), 240U);
    EXPECT_LT(images(Sharing::total), 100U);
    const std::uint64_t domains = images(Sharing::domains);
    EXPECT_LT(domains, 300U);
    EXPECT_GT(domains, 200U);
    const SharedWorld world = shared_world(setting, 1);
    EXPECT_EQ(world.places.size(), 450U);
    EXPECT_EQ(world.list(14), 30U);
    double sum = 0;
    for (const double score : world.truth) sum += score;
    EXPECT_NEAR(sum, 0, 1e-12);
}

void expect_near(const std::vector<double>& found, const json& expected, const char* what) {
    ASSERT_EQ(found.size(), expected.size()) << what;
    for (std::size_t k = 0; k < found.size(); ++k) {
        const double wanted = expected[k];
        EXPECT_NEAR(found[k], wanted, 1e-7 * std::max(1.0, std::abs(wanted))) << what << " " << k;
    }
}

/// The places of the fixture, with pair, image, first and second.
AnsweredPlaces answered_of(const json& block) {
    AnsweredPlaces answered;
    const std::uint32_t m = block["classifiers"];
    for (std::uint32_t i = 0; i < m; ++i) {
        for (std::uint32_t j = i + 1; j < m; ++j) {
            const std::size_t p = answered.pairs.size();
            answered.pairs.push_back(
                {i, j, block["lists"].is_null() ? 0 : block["lists"][p].get<std::uint64_t>()});
        }
    }
    for (std::size_t k = 0; k < block["places"].size(); ++k) {
        const json& place = block["places"][k];
        AnsweredPlace& one = answered.places.emplace_back();
        one.pair = place[0];
        one.image = place[1];
        one.first = place[2] == 1;
        one.second = place[3] == 1;
        if (!block["weights"].is_null()) one.weight = block["weights"][k];
        if (!block["clusters"].is_null()) one.cluster = block["clusters"][k];
    }
    return answered;
}

void expect_block(const json& block) {
    const json& expected = block["expected"];
    const AnsweredPlaces answered = answered_of(block);
    const std::size_t m = block["classifiers"];
    PosteriorOptions options;
    options.lists_alone = !block["lists"].is_null();
    const WorkingScores working = working_scores(m, answered, options);
    expect_near(working.y, expected["y"], "y");
    expect_near(working.v, expected["v"], "v");
    expect_near(working.scores, expected["working"], "working");
    for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t b = 0; b < m; ++b)
            EXPECT_NEAR(working.covariance(a, b), expected["U"][a][b].get<double>(), 1e-7);
    }
    const double effective = expected["effective_images"];
    EXPECT_NEAR(working.effective_images, effective, 1e-7 * effective);
    std::vector<double> weights;
    for (const ScoreMixture::Component& one : score_mixture(working).components)
        weights.push_back(one.weight);
    expect_near(weights, expected["mixture_weights"], "weights");
    const Posterior found = posterior_of(m, answered, options);
    std::vector<double> scores, errors;
    for (const Estimate& score : found.scores) {
        scores.push_back(*score.value);
        errors.push_back(*score.standard_error);
    }
    expect_near(scores, expected["scores"], "scores");
    expect_near(errors, expected["errors"], "errors");
    for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t b = 0; b < m; ++b)
            EXPECT_NEAR(found.better.at(a, b), expected["better"][a][b].get<double>(), 1e-7);
    }
    EXPECT_NEAR(1 - 2 * found.error, expected["expected_tau"].get<double>(), 1e-7);
}

TEST(MadSharedPosterior, ReferenceNumbers) {
    std::ifstream file(ASSAY_SOURCE_DIR "/../shared/spec/fixtures/competition-shared-images.json");
    if (!file)
        GTEST_SKIP() << "SKIPPED: ../shared/spec/fixtures/competition-shared-images.json is absent";
    const json expected = json::parse(file);
    for (const char* name : {"shared_order", "own_order", "clusters", "half_of_lists",
                             "all_of_lists", "pair_without_list", "one_sided", "nothing_right"}) {
        SCOPED_TRACE(name);
        expect_block(expected[name]);
    }
    SCOPED_TRACE("asking");
    expect_block(expected["asking"]["posterior"]);
}

void expect_scores(const Posterior& found, std::array<double, 4> scores, double tau) {
    for (std::size_t a = 0; a < 4; ++a) EXPECT_NEAR(*found.scores[a].value, scores[a], 5e-5);
    EXPECT_NEAR(1 - 2 * found.error, tau, 5e-5);
}
void expect_errors(const Posterior& found, std::array<double, 4> errors) {
    for (std::size_t a = 0; a < 4; ++a)
        EXPECT_NEAR(*found.scores[a].standard_error, errors[a], 5e-5);
}

TEST(MadSharedPosterior, SmallCompetitions) {
    const Posterior shared = posterior_of(4, small_reference(1, 4, 200, 12, false));
    EXPECT_EQ(shared.images, 20U);
    EXPECT_NEAR(shared.effective_images, 16.55, .005);
    expect_scores(shared, {.0194, -.0331, -.0400, .0538}, .1145);
    AnsweredPlaces own = small_reference(1, 4, 2000, 12, true);
    const Posterior apart = posterior_of(4, own);
    EXPECT_EQ(apart.images, 71U);
    expect_scores(apart, {-.1552, -.1098, .0441, .2209}, .4313);
    expect_errors(apart, {.2180, .2012, .1882, .2491});
    AnsweredPlaces grouped = own;
    for (AnsweredPlace& place : grouped.places) place.cluster = place.image / 400;
    EXPECT_NEAR(1 - 2 * posterior_of(4, grouped).error, .3709, 5e-5);
}

TEST(MadSharedPosterior, CopiesOfAnImageInOneClusterAddNothing) {
    AnsweredPlaces once = small_reference(1, 4, 2000, 12, true);
    for (ListedPair& pair : once.pairs) pair.list = 0;
    AnsweredPlaces together = once, alone = once;
    together.places.clear();
    alone.places.clear();
    for (std::uint64_t copy = 0; copy < 3; ++copy) {
        for (AnsweredPlace place : once.places) {
            const std::uint64_t image = place.image;
            place.image += copy * 10'000;
            alone.places.push_back(place);
            place.cluster = image;
            together.places.push_back(place);
        }
    }
    expect_errors(posterior_of(4, together), {.2199, .2008, .1875, .2511});
    expect_errors(posterior_of(4, alone), {.1657, .1516, .1428, .1877});
}

TEST(MadSharedPosterior, WithoutSharingScoresAreThoseOfIndependentPairs) {
    AnsweredPlaces answered = small_reference(3, 5, 300, 9, false);
    std::vector<PairCounts> counts;
    for (const ListedPair& pair : answered.pairs)
        counts.push_back({.first = pair.first, .second = pair.second});
    for (AnsweredPlace& place : answered.places) {
        place.image += 1000 * place.pair;
        count(counts[place.pair], {.yes = place.first}, {.yes = place.second});
    }
    const WorkingScores working = working_scores(5, answered, {});
    const std::vector<double> expected = posterior_scores(5, counts);
    for (std::size_t a = 0; a < 5; ++a) EXPECT_NEAR(working.scores[a], expected[a], 1e-12);
    // The order of pairs and places has no effect.
    AnsweredPlaces turned = answered;
    std::reverse(turned.pairs.begin(), turned.pairs.end());
    std::reverse(turned.places.begin(), turned.places.end());
    const auto last = static_cast<std::uint32_t>(turned.pairs.size() - 1);
    for (AnsweredPlace& place : turned.places) place.pair = last - place.pair;
    const WorkingScores again = working_scores(5, turned, {});
    for (std::size_t a = 0; a < 5; ++a) {
        EXPECT_NEAR(working.scores[a], again.scores[a], 1e-12);
        for (std::size_t b = 0; b < 5; ++b)
            EXPECT_NEAR(working.covariance(a, b), again.covariance(a, b), 1e-12);
    }
}

TEST(MadSharedPosterior, TheOrderOfClassifiersDecidesNothing) {
    AnsweredPlaces answered = small_reference(2, 5, 100, 9, false);
    AnsweredPlaces turned = answered;
    for (ListedPair& pair : turned.pairs) {
        const std::uint32_t first = pair.first;
        pair.first = 4 - pair.second;
        pair.second = 4 - first;
    }
    for (AnsweredPlace& place : turned.places) std::swap(place.first, place.second);
    for (const bool lists : {false, true}) {
        if (lists) {
            for (AnsweredPlaces* one : {&turned, &answered})
                for (ListedPair& pair : one->pairs) pair.list += 5;
        }
        const PosteriorOptions options = {.lists_alone = lists};
        const Posterior a = posterior_of(5, answered, options),
                        b = posterior_of(5, turned, options);
        for (std::size_t i = 0; i < 5; ++i) {
            EXPECT_NEAR(*a.scores[i].value, *b.scores[4 - i].value, 1e-9);
            EXPECT_NEAR(*a.scores[i].standard_error, *b.scores[4 - i].standard_error, 1e-9);
            for (std::size_t j = 0; j < 5; ++j)
                EXPECT_NEAR(a.better.at(i, j), b.better.at(4 - i, 4 - j), 1e-9);
        }
        EXPECT_NEAR(a.error, b.error, 1e-9);
        EXPECT_NEAR(a.effective_images, b.effective_images, 1e-9 * a.effective_images);
    }
}

TEST(MadSharedPosterior, WeightsCountWithinTheirPair) {
    AnsweredPlaces answered = small_reference(4, 3, 100, 9, false);
    const WorkingScores plain = working_scores(3, answered, {});
    for (AnsweredPlace& place : answered.places) place.weight = 7.5;
    const WorkingScores same = working_scores(3, answered, {});
    for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(plain.scores[a], same.scores[a], 1e-12);
    EXPECT_NEAR(plain.covariance(0, 1), same.covariance(0, 1), 1e-12);
    // If one image has most of the weight, the effective number of images is small.
    const std::uint64_t heavy = answered.places.front().image;
    for (AnsweredPlace& place : answered.places) place.weight = place.image == heavy ? 60 : 1;
    EXPECT_LT(working_scores(3, answered, {}).effective_images, plain.effective_images);
}

TEST(MadSharedPosterior, FewClassifiersAndNothingKnown) {
    EXPECT_EQ(posterior_of(1, {}).error, 0);
    EXPECT_EQ(*posterior_of(1, {}).scores[0].value, 0);
    const Posterior none = posterior_of(3, {});
    EXPECT_NEAR(none.error, .5, 1e-12);
    EXPECT_EQ(none.better.at(0, 1), .5);
    EXPECT_EQ(posterior_of(3, {}, {.lists_alone = true}).error, 0);
    // A classifier without a place keeps the uncertainty of the prior.
    const AnsweredPlaces two = small_reference(1, 2, 100, 12, false);
    const Posterior found = posterior_of(3, two);
    EXPECT_GT(*found.scores[2].standard_error, *found.scores[0].standard_error);
    EXPECT_NEAR(found.better.at(0, 2) + found.better.at(1, 2), 1, 1e-6);
}

TEST(MadSharedPosterior, WhatItRefuses) {
    const AnsweredPlaces good = small_reference(1, 3, 100, 6, false);
    const auto refused = [](const AnsweredPlaces& answered, const PosteriorOptions& options = {}) {
        return message_of([&] { posterior_of(3, answered, options); }, ErrorCode::usage);
    };
    AnsweredPlaces bad = good;
    bad.places[3].weight = -1;
    EXPECT_THAT(refused(bad), HasSubstr("weight -1; allowed: above 0"));
    bad = good;
    bad.places[0].cluster = 1;
    EXPECT_THAT(refused(bad), HasSubstr("has not a cluster, others have"));
    bad = good;
    bad.pairs[1].list = 5;
    EXPECT_THAT(refused(bad), HasSubstr("6 answered images in a list of 5"));
    bad = good;
    bad.places[1].image = bad.places[0].image;
    EXPECT_THAT(refused(bad), HasSubstr("twice in the list of the pair 0, 1"));
    bad = good;
    bad.pairs[1] = bad.pairs[0];
    EXPECT_THAT(refused(bad), HasSubstr("pair 0, 1 twice"));
    bad = good;
    bad.pairs[2].second = 3;
    EXPECT_THAT(refused(bad), HasSubstr("pair 1, 3 of 3 classifiers"));
    bad = good;
    bad.places[0].pair = 3;
    EXPECT_THAT(refused(bad), HasSubstr("there are 3 pairs"));
    EXPECT_THAT(refused(good, {.tau = 0}), HasSubstr("tau is 0; allowed: 0.001 to 1000"));
    EXPECT_THAT(refused(good, {.level = 1}), HasSubstr("level is 1"));
    EXPECT_THAT(refused(good, {.draws = 3}), HasSubstr("3 draws"));
}

// If all pairs share their images, an earlier model claimed that .97 of the orders are correct,
// although only .67 were.
TEST(MadSharedImagesSimulation, WhatIsClaimedIsRealised) {
    Claims all;
    all.name = "total, m = 6";
    for (std::uint64_t run = 0; run < 100; ++run) {
        const SharedWorld world =
            shared_world({.m = 6, .sharing = Sharing::total, .images = 3000}, 500 + run);
        all.add(world, posterior_of_world(world, {.level = .9, .draws = 200, .seed = run}));
    }
    all.print();
    // The standard error of the realised proportion is about .03.
    EXPECT_NEAR(all.claimed / all.competitions, all.realised / all.competitions, .08);
    EXPECT_GE(all.right_of(1), .9);
    EXPECT_GE(all.held / all.ranks, .93);
    EXPECT_LT(all.width / all.ranks, 4.6);
}

TEST(MadSharedImagesSimulation, TheOrderOfTheListsIsNoSurerThanItIs) {
    // A third of the images, with all of their questions. Half of each list comes from a domain
    // with the reversed order.
    double claimed = 0, realised = 0;
    constexpr int runs = 80;
    for (std::uint64_t run = 0; run < runs; ++run) {
        const SharedWorld world =
            shared_world({.m = 5, .k = 20, .sharing = Sharing::domains, .images = 2000}, 900 + run);
        SharedWorld all = world, third = world;
        std::erase_if(third.places, [&](const WorldPlace& place) {
            return reference_test::mixed(place.image + 7919 * run) % 3 != 0;
        });
        PosteriorOptions options;
        options.draws = 100;
        options.lists_alone = true;
        const Posterior end = posterior_of_world(all, options);
        AnsweredPlaces part = answered_world(third);
        for (std::uint32_t p = 0; p < part.pairs.size(); ++p) part.pairs[p].list = all.list(p);
        const Posterior now = posterior_of(5, part, options);
        EXPECT_EQ(end.error, 0);
        third.truth.clear();
        for (const Estimate& score : end.scores) third.truth.push_back(*score.value);
        Claims one;
        one.add(third, now);
        claimed += one.claimed / runs;
        realised += one.realised / runs;
    }
    std::printf("domains: order of the lists claimed %.3f, realised %.3f\n", claimed, realised);
    EXPECT_LE(claimed, realised + .05);
    EXPECT_GT(claimed, .1);
}

// The table of docs/competition.md. It takes about a minute: --gtest_also_run_disabled_tests.
TEST(MadSharedImagesSimulation, DISABLED_TheWholeTable) {
    const std::array<std::uint32_t, 4> classifiers = {3, 6, 11, 20}, lengths = {5, 15, 30, 60};
    table_of(settings_of_table(classifiers, lengths), 2, 1'000'000);
}

}  // namespace
}  // namespace assay::mad
