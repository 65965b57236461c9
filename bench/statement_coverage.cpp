// Coverage and width of the 95 % intervals of statements about many models. The simulations
// were defined before the methods were tried (statement_worlds.h).
//
//     bench_statement_coverage [DRAWS [THREADS [WORLD...]]]
//
// The default is 150 draws per world. The beginning of its name is enough to name a world. A
// coverage's standard error is .018 at 150 draws.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "core/rank_correlation.h"
#include "evaluate/statements/models_line.h"
#include "evaluate/statements/orders.h"
#include "evaluate/statements/places.h"
#include "evaluate/statements/sizes.h"
#include "statement_worlds.h"

namespace {

using namespace assay;
using namespace assay::statements;

constexpr double level = .95;

struct Found {
    bool held = false;
    double width = 0;
};
using Row = std::map<std::string, Found>;

Found found(const Range& range, double truth) {
    return {range.low <= truth + 1e-12 && truth - 1e-12 <= range.high, range.high - range.low};
}

double sd_of(const std::vector<double>& values) {
    const std::vector<double> around = centred(values);
    return std::sqrt(sum_of_products(around, around) / static_cast<double>(values.size() - 1));
}

std::size_t place_of(const std::vector<double>& values, std::size_t m) {
    return 1 + static_cast<std::size_t>(
                   std::ranges::count_if(values, [&](double v) { return v > values[m]; }));
}

Row one_draw(const worlds::World& world, std::uint64_t draw) {
    const worlds::Seen a = worlds::drawn(world.first, world.first_images, world.shared, draw, 0),
                       b = worlds::drawn(world.second, world.second_images, world.shared, draw, 1);
    const Matrix e1 = draws_of(a.factor, 1000, 1), e2 = draws_of(b.factor, 1000, 2);
    const Matrix errors = difference(e1, e2);
    const Pairs p1 = pairs_of(a.factor, e1), p2 = pairs_of(b.factor, e2);
    const std::size_t models = world.first.size();
    std::vector<double> gaps(models), truth(models);
    double mean_truth = 0, absolute_truth = 0;
    std::size_t within_truth = 0;
    for (std::size_t m = 0; m < models; ++m) {
        gaps[m] = a.values[m] - b.values[m];
        truth[m] = world.first[m] - world.second[m];
        mean_truth += truth[m] / static_cast<double>(models);
        absolute_truth += std::abs(truth[m]) / static_cast<double>(models);
        within_truth += std::abs(truth[m]) < .01 - 1e-9 ? 1 : 0;
    }
    Row row;
    row["mean gap"] = found(mean_gap(gaps, a.factor, b.factor, level), mean_truth);
    row["mean |gap|"] =
        found(mean_absolute_gap(gaps, a.factor, b.factor, errors, level), absolute_truth);
    row["spread of gaps"] =
        found(spread(gaps, total_of(a.factor) + total_of(b.factor), errors, level), sd_of(truth));
    row["spread"] = found(spread(a.values, total_of(a.factor), e1, level), sd_of(world.first));
    const Best best =
        best_of(a.values, a.factor, e1, static_cast<double>(world.first_images), level);
    row["best"] = found(best.range, std::ranges::max(world.first));
    row["winner"] = found(best.range, world.first[best.model]);
    const auto orders = rank_correlations({a.values, total_of(a.factor), &e1, &p1},
                                          {b.values, total_of(b.factor), &e2, &p2}, level);
    row["tau"] = found(*orders.tau, *kendall_tau_b(world.first, world.second));
    row["rho"] = found(*orders.rho, *spearman_rho(world.first, world.second));
    const std::vector<double> x = centred(world.first), y = centred(world.second);
    row["slope"] =
        found(slope_of_these({a.values, b.values, &a.factor, &b.factor, &e1, &e2}, level),
              sum_of_products(x, y) / sum_of_products(x, x));
    const std::size_t some = models / 2;
    const PlaceRange place = places_of(a.values, p1, level)[some];
    const auto at = [](std::size_t v) { return static_cast<double>(v); };
    row["rank"] = found({0, at(place.low), at(place.high)}, at(place_of(world.first, some)));
    const ChangeRange change = changes_of_place(a.values, p1, b.values, p2, level)[some];
    row["change"] = found({0, static_cast<double>(change.low), static_cast<double>(change.high)},
                          at(place_of(world.first, some)) - at(place_of(world.second, some)));
    const WithinMargin within =
        within_margin(gaps, errors_of_gaps(a.factor, b.factor), errors, .01 - 1e-9, level);
    row["within"] = found({0, at(within.low), at(within.high)}, at(within_truth));
    return row;
}

}  // namespace

int main(int count, char** arguments) {
    const auto draws = static_cast<std::size_t>(count > 1 ? std::atoi(arguments[1]) : 150);
    const int threads = count > 2 ? std::atoi(arguments[2]) : 1;
    for (const worlds::World& world : worlds::all()) {
        bool wanted = count <= 3;
        for (int i = 3; i < count; ++i) wanted = wanted || world.name.starts_with(arguments[i]);
        if (!wanted) continue;
        std::vector<Row> rows(draws);
        parallel_blocks(draws, threads, [&](std::size_t i) { rows[i] = one_draw(world, 100 + i); });
        fmt::print("{}\n", world.name);
        for (const auto& [name, first] : rows.front()) {
            double held = 0, width = 0;
            for (const Row& row : rows) {
                held += row.at(name).held ? 1 : 0;
                width += row.at(name).width;
            }
            fmt::print("  {:<15} {:.3f}  width {:.4f}\n", name, held / static_cast<double>(draws),
                       width / static_cast<double>(draws));
        }
    }
    return 0;
}
