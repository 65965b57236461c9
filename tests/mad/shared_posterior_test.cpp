// What a ranking claims of itself where pairs share images, and what comes true.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "assay/mad/posterior.h"
#include "shared_worlds.h"

namespace assay::mad {
namespace {

using shared_test::settings_of_table;
using shared_test::shared_world;
using shared_test::SharedWorld;
using shared_test::Sharing;
using shared_test::WorldPlace;
using shared_test::WorldSetting;

/// Sums over competitions of what is claimed and of what is right.
struct Claims {
    std::string name;
    std::function<bool(const WorldSetting&)> of;
    double competitions = 0, claimed = 0, realised = 0;
    std::array<double, 3> said{}, right{}, orders{};  ///< of P .80-.95, .95-.99, above
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

Posterior posterior_of_world(const SharedWorld& world, const PosteriorOptions& options) {
    std::vector<PairSample> pairs;
    for (const auto& pair : world.pairs) {
        PairSample& sample = pairs.emplace_back();
        sample.counts.first = pair[0];
        sample.counts.second = pair[1];
    }
    for (const WorldPlace& place : world.places)
        count(pairs[place.pair].counts, {.yes = place.first}, {.yes = place.second});
    return posterior_of(world.m, pairs, options);
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
    // 15 pairs of 30 images each.
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

// The table of docs/competition.md, about a minute: --gtest_also_run_disabled_tests.
TEST(MadSharedImagesSimulation, DISABLED_TheWholeTable) {
    const std::array<std::uint32_t, 4> classifiers = {3, 6, 11, 20}, lengths = {5, 15, 30, 60};
    table_of(settings_of_table(classifiers, lengths), 2, 1'000'000);
}

}  // namespace
}  // namespace assay::mad
