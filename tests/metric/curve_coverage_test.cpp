// Coverage of the intervals of areas under curves.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/random.h"
#include "curve_tables.h"

namespace assay {
namespace {

struct CurveWorld {
    std::string name;
    std::size_t classes, items;
    double skill;             // the amount by which the score of an item's own class is higher
    double steepness = 0;     // priors are proportional to (c + 1)^-steepness
    double last_skill = -1;   // skill of the last class; other classes are interpolated
    bool atoms = false;       // whether scores are in steps of an eighth
    double label_chance = 0;  // if above 0, label sets of independent labels, and sigmoids
};

// The simulations, which were defined before the intervals were chosen.
std::vector<CurveWorld> curve_worlds() {
    return {{"ten classes", 10, 300, 2},
            {"rare classes", 20, 300, 2, 1},
            {"atoms", 5, 300, 1.5, 0, -1, true},
            {"near-perfect", 10, 300, 6},
            {"near-perfect, more items", 10, 1000, 7},
            {"two classes, one in 20", 2, 300, 1, 4.25},
            {"fifty classes", 50, 2000, 2},
            {"easy and hard classes", 10, 500, 4, 0, 0.5},
            {"label sets", 10, 300, 2, 0, 1, false, 0.15},
            {"label sets, rare", 20, 1000, 2, 0, 2, false, 0.02}};
}

SetTable curve_draw(const CurveWorld& world, std::size_t items, RandomStream& random) {
    SetTable t;
    t.classes = world.classes;
    std::vector<double> prior(world.classes);
    double all = 0;
    for (std::size_t c = 0; c < world.classes; ++c)
        all += prior[c] = std::pow(static_cast<double>(c + 1), -world.steepness);
    for (std::size_t i = 0; i < items; ++i) {
        auto& set = t.sets.emplace_back();
        if (world.label_chance > 0) {
            for (std::size_t c = 0; c < world.classes; ++c) {
                if (random.uniform() < world.label_chance)
                    set.push_back(static_cast<std::int32_t>(c));
            }
        } else {
            double u = random.uniform() * all;
            std::size_t c = 0;
            while (c + 1 < world.classes && u >= prior[c]) u -= prior[c++];
            set.push_back(static_cast<std::int32_t>(c));
        }
        std::vector<double> z(world.classes);
        double sum = 0;
        for (std::size_t c = 0; c < world.classes; ++c) {
            const double part =
                world.classes > 1 ? static_cast<double>(c) / static_cast<double>(world.classes - 1)
                                  : 0;
            const double skill = world.last_skill < 0
                                     ? world.skill
                                     : world.skill + part * (world.last_skill - world.skill);
            z[c] = random.normal() + (t.positive(i, c) ? skill : 0);
            sum += std::exp(z[c]);
        }
        for (std::size_t c = 0; c < world.classes; ++c) {
            const double p =
                world.label_chance > 0 ? 1 / (1 + std::exp(-z[c])) : std::exp(z[c]) / sum;
            t.scores.push_back(static_cast<float>(world.atoms ? std::round(8 * p) / 8 : p));
        }
    }
    t.whole = true;
    return t;
}

std::vector<double> true_areas(const CurveWorld& world, Curve curve) {
    RandomStream random(1, "curve truth");
    const SetTable t = curve_draw(world, 200000, random);
    const TableRows rows(t);
    const auto classes = static_cast<std::uint32_t>(t.classes);
    const ClassPositives positives = positives_of_table(t);
    const ClassRanks ranks(positives, positive_keys(rows, positives, 2, 0, classes));
    const auto counts = ranks.count(rows, 2, 0, classes);
    const ClassCurves curves(positives, ranks, counts, t.sets.size(), {curve, false, 0.95});
    std::vector<double> areas;
    for (std::uint32_t c = 0; c < classes; ++c) areas.push_back(curves.area(c).value());
    return areas;
}

TEST(CurveCoverage, SlowInWorldsWhereItIsKnown) {
    // The tables in docs/intervals.md use 400 draws.
    constexpr int draws = 150;
    for (const CurveWorld& world : curve_worlds()) {
        for (const Curve curve : {Curve::roc, Curve::precision_recall}) {
            const std::vector<double> areas = true_areas(world, curve);
            int covered = 0, above = 0, absent = 0;
            double bias = 0, width = 0, spread = 0, error = 0;
            for (int draw = 0; draw < draws; ++draw) {
                RandomStream random(2, "curve coverage", static_cast<std::uint64_t>(draw));
                const SetTable t = curve_draw(world, world.items, random);
                const CurveFound found = curve_of(t, {curve, false, 0.95});
                double target = 0, used = 0;
                for (std::size_t c = 0; c < world.classes; ++c) {
                    bool there = false;
                    for (std::size_t i = 0; i < t.sets.size() && !there; ++i)
                        there = t.positive(i, c);
                    if (!there) continue;
                    target += areas[c];
                    used += 1;
                }
                target /= used;
                const Estimate& e = found.estimate;
                bias += (*e.value - target) / draws;
                spread += (*e.value - target) * (*e.value - target) / draws;
                if (!e.interval) {
                    ++absent;
                    continue;
                }
                error += e.standard_error.value_or(0) / draws;
                covered += e.interval->low <= target && target <= e.interval->high ? 1 : 0;
                above += target > e.interval->high ? 1 : 0;
                width += e.interval->high - e.interval->low;
            }
            const int there = draws - absent;
            const double part = there > 0 ? covered / static_cast<double>(there) : 1;
            std::printf(
                "| %s | %s | %zu | %.1f | %.4f | absent %d above %d bias %.4f sd %.4f se %.4f\n",
                world.name.c_str(), curve == Curve::roc ? "AUROC" : "AP", world.items, 100 * part,
                width / std::max(1, there), absent, above, bias, std::sqrt(spread), error);
            std::fflush(stdout);
            EXPECT_GT(part, 0.93 - 3 * std::sqrt(0.93 * 0.07 / std::max(1, there))) << world.name;
        }
    }
}

}  // namespace
}  // namespace assay
