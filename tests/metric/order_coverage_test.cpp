// Coverage of the intervals of areas under the risk-coverage curve.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "assay/metric/metric.h"
#include "core/random.h"
#include "metric/order.h"

namespace assay {
namespace {

// An item is correct with probability 1 / (1 + exp(-(base + slope u))), where u is normal. Its
// confidence is the same function of u with noise, in steps of a tenth if `atoms`.
struct OrderWorld {
    const char* name;
    double base, slope, noise;
    bool atoms = false;
};

// The simulations, which were defined before the interval was chosen.
constexpr OrderWorld order_worlds[] = {{"accuracy .75", 1.5, 1.5, 0.3},
                                       {"accuracy .95", 4, 1.5, 0.5},
                                       {"accuracy .99", 6, 1.5, 0.3},
                                       {"atoms", 1.5, 1.5, 0.3, true},
                                       {"confidence says nothing", 1.5, 0.001, 1},
                                       {"accuracy .5", 0, 2, 1}};

std::vector<ConfidentItem> order_draw(const OrderWorld& world, std::size_t n,
                                      RandomStream& random) {
    std::vector<ConfidentItem> list(n);
    const auto places = group_places(0, n);
    for (std::size_t i = 0; i < n; ++i) {
        const double u = random.normal(), seen = u + world.noise * random.normal();
        const auto chance = [&](double x) {
            return 1 / (1 + std::exp(-(world.base + world.slope * x)));
        };
        const double p = chance(seen);
        list[i] = {
            static_cast<float>(world.atoms ? std::round(10 * p) / 10 : p),
            random.uniform() < chance(u),
            static_cast<std::uint16_t>(places[i % group_stretch % places.size()] % group_count)};
    }
    std::sort(list.begin(), list.end(), [](const ConfidentItem& a, const ConfidentItem& b) {
        return a.confidence > b.confidence;
    });
    return list;
}

TEST(OrderCoverage, SlowInWorldsWhereItIsKnown) {
    constexpr int draws = 500;
    MetricContext context;
    for (const char* name : {"aurc", "excess_aurc"}) {
        const auto& pass = dynamic_cast<const OrderPass&>(*metric_named(name).pass);
        for (const OrderWorld& world : order_worlds) {
            double truth = 0;
            for (std::uint64_t part = 0; part < 10; ++part) {
                RandomStream random(1, "order truth", part);
                truth += *pass.value(context, order_draw(world, 100000, random)).value / 10;
            }
            for (const std::size_t n : {300, 1000}) {
                int covered = 0, there = 0;
                for (int draw = 0; draw < draws; ++draw) {
                    RandomStream random(2, "order coverage", static_cast<std::uint64_t>(draw));
                    const auto list = order_draw(world, n, random);
                    const auto errors =
                        std::count_if(list.begin(), list.end(),
                                      [](const ConfidentItem& item) { return !item.correct; });
                    if (static_cast<std::uint64_t>(errors) < fewest_errors) continue;
                    std::vector<double> without;
                    for (std::size_t g = 0; g < group_count; ++g) {
                        std::vector<ConfidentItem> rest;
                        for (const ConfidentItem& item : list) {
                            if (item.group != g) rest.push_back(item);
                        }
                        if (rest.size() < list.size())
                            without.push_back(*pass.value(context, rest).value);
                    }
                    const auto interval =
                        log_interval(*pass.value(context, list).value, without, 0.95);
                    if (!interval) continue;
                    ++there;
                    covered += interval->low <= truth && truth <= interval->high ? 1 : 0;
                }
                const double part = there > 0 ? covered / static_cast<double>(there) : 1;
                std::printf("| %s | %s | %zu | %.1f | of %d\n", name, world.name, n, 100 * part,
                            there);
                std::fflush(stdout);
                // If only a few draws have ten errors, they are not representative of all draws.
                if (there > draws / 2) {
                    EXPECT_GT(part, 0.93 - 3 * 0.0114) << name << ' ' << world.name << ' ' << n;
                }
            }
        }
    }
}

}  // namespace
}  // namespace assay
