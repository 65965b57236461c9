// Compares statements about many models with an independent implementation in Python (NumPy and
// SciPy, with input and output in fixtures/statements.json). Also checks them in simulations
// with a known truth.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/evaluate/gap.h"
#include "core/file.h"
#include "evaluate/statements/differences.h"
#include "evaluate/statements/models_line.h"
#include "evaluate/statements/orders.h"
#include "evaluate/statements/places.h"
#include "evaluate/statements/sizes.h"
#include "scratch.h"
#include "statement_worlds.h"

namespace assay::statements {
namespace {

using nlohmann::json;

const json& fixture() {
    static const json all = json::parse(read_text(
        std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/evaluate/fixtures/statements.json",
        1 << 20));
    return all;
}

Factor factor_of(const json& rows) {
    Matrix matrix(rows.size(), rows.at(0).size());
    for (std::size_t g = 0; g < matrix.rows; ++g) {
        for (std::size_t m = 0; m < matrix.columns; ++m)
            matrix.row(g)[m] = rows[g][m].get<double>();
    }
    return Factor(std::move(matrix));
}

/// Everything that one comparison of two data sets needs.
struct Compared {
    std::vector<double> x, y, gaps;
    Factor first, second;
    Matrix first_draws, second_draws, draws;

    Compared(std::vector<double> a, std::vector<double> b, Factor one, Factor two,
             std::size_t count = 1000)
        : x(std::move(a)), y(std::move(b)), first(std::move(one)), second(std::move(two)) {
        for (std::size_t m = 0; m < x.size(); ++m) gaps.push_back(x[m] - y[m]);
        first_draws = draws_of(first, count, 1);
        second_draws = draws_of(second, count, 2);
        draws = difference(first_draws, second_draws);
    }
    TwoSets sets() const { return {x, y, &first, &second, &first_draws, &second_draws}; }
};

void expect_range(const json& expected, const Range& found, const std::string& what,
                  double tolerance = 1e-9) {
    const auto same = [&](const json& number, double value, const char* part) {
        if (number.is_null()) {
            EXPECT_FALSE(std::isfinite(value)) << what << " " << part;
            return;
        }
        EXPECT_NEAR(value, number.get<double>(), tolerance) << what << " " << part;
    };
    same(expected.at(0), found.value, "value");
    same(expected.at(1), found.low, "low");
    same(expected.at(2), found.high, "high");
}

void expect_places(const json& expected, const std::vector<PlaceRange>& found,
                   const std::string& what) {
    for (std::size_t m = 0; m < found.size(); ++m) {
        EXPECT_EQ(found[m].low, expected.at(0).at(m).get<std::size_t>()) << what << " " << m;
        EXPECT_EQ(found[m].high, expected.at(1).at(m).get<std::size_t>()) << what << " " << m;
    }
}

void compare_all(const Compared& c, const json& expected, double images,
                 std::span<const std::size_t> families, const std::string& name) {
    constexpr double level = .95;
    const auto check = [&](const char* key, const Range& found) {
        if (expected.contains(key)) expect_range(expected[key], found, name + ": " + key);
    };
    check("mean_gap", mean_gap(c.gaps, c.first, c.second, level));
    check("mean_abs_gap", mean_absolute_gap(c.gaps, c.first, c.second, c.draws, level));
    check("spread_first", spread(c.x, total_of(c.first), c.first_draws, level));
    check("spread_gap", spread(c.gaps, total_of(c.first) + total_of(c.second), c.draws, level));
    check("slope_these", slope_of_these(c.sets(), level));
    const LikeThese like = models_like_these(c.sets(), families, level);
    check("like_mean_gap", like.mean_gap.value());
    check("like_slope", like.slope.value());
    if (expected.contains("curvature")) {
        const Curvature curve = curvature_of(c.sets()).value();
        const json& want = expected["curvature"];
        EXPECT_NEAR(curve.coefficient, want[0].get<double>(), 1e-7);
        EXPECT_NEAR(curve.standard_error, want[1].get<double>(), 1e-7);
        EXPECT_NEAR(curve.low_slope, want[2].get<double>(), 1e-9);
        EXPECT_NEAR(curve.high_slope, want[3].get<double>(), 1e-9);
        EXPECT_EQ(curve.curved, want[4].get<bool>()) << name;
    }
    const Best best = best_of(c.x, c.first, c.first_draws, images, level);
    check("best_first", best.range);
    EXPECT_EQ(best.model, expected["best_first"][3].get<std::size_t>());
    EXPECT_EQ(best.candidates, expected["best_first"][4].get<std::size_t>()) << name;
    const WithinMargin within =
        within_margin(c.gaps, errors_of_gaps(c.first, c.second), c.draws, .01, level);
    EXPECT_EQ(json({within.seen, within.low, within.high}), expected["within"]) << name;
    if (!expected.contains("tau")) return;
    const Pairs one = pairs_of(c.first, c.first_draws), two = pairs_of(c.second, c.second_draws);
    const RankCorrelations orders =
        rank_correlations({c.x, total_of(c.first), &c.first_draws, &one},
                          {c.y, total_of(c.second), &c.second_draws, &two}, level);
    check("tau", orders.tau.value());
    check("rho", orders.rho.value());
    expect_places(expected["ranks_first"], places_of(c.x, one, level), name + ": places");
    expect_places(expected["ranks_first_all"], places_of(c.x, one, level, true), name + ": all");
    const auto changes = changes_of_place(c.x, one, c.y, two, level);
    for (std::size_t m = 0; m < changes.size(); ++m) {
        EXPECT_EQ(changes[m].low, expected["rank_change"][0][m].get<std::int64_t>()) << name;
        EXPECT_EQ(changes[m].high, expected["rank_change"][1][m].get<std::int64_t>()) << name;
    }
}

std::vector<std::size_t> alone(std::size_t models) {
    std::vector<std::size_t> out(models);
    for (std::size_t m = 0; m < models; ++m) out[m] = m;
    return out;
}

TEST(Statements, NormalsByCounter) {
    const auto found = normals(1, 6);
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], fixture()["normals_seed1"][i].get<double>(), 1e-12);
}

TEST(Statements, WithTheErrorsOfStores) {
    for (const json& one : fixture()["cases"]) {
        const Compared c(one["first"], one["second"], factor_of(one["D1"]), factor_of(one["D2"]));
        std::vector<std::size_t> families = alone(c.x.size());
        if (!one["families"].is_null()) families = one["families"].get<std::vector<std::size_t>>();
        compare_all(c, one["expected"], one["n1"].get<double>(), families, one["name"]);
    }
}

Factor of_table(const std::vector<double>& values, double n, double correlation) {
    std::vector<double> errors;
    for (const double a : values) errors.push_back(wilson_error(a, n, 1.959963984540054));
    return table_factor(errors, correlation);
}

TEST(Statements, WithTheErrorsOfATable) {
    const json& table = fixture()["table"];
    const std::vector<double> x = table["first"], y = table["second"];
    for (const auto& [correlation, expected] : table["by_correlation"].items()) {
        const double r = std::stod(correlation);
        const Compared c(x, y, of_table(x, 50'000, r), of_table(y, 10'000, r));
        compare_all(c, expected, 50'000, alone(x.size()), "r = " + correlation);
    }
}

TEST(Statements, PublishedTable) {
    if (shared_data().empty()) GTEST_SKIP() << "no shared data beside the checkout";
    const GapTable table = read_gap_table(shared_data() / "multilabel_models.csv");
    const std::array<std::vector<std::uint64_t>, 2> counts{
        {{39'394, 5'408, 1'319, 411, 161}, {5'083, 2'385, 1'306, 628, 237}}};
    for (const std::size_t m : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
        std::vector<double> x, y;
        for (const GapTable::Row& row : table.rows) {
            x.push_back(*row.metrics[m][0]);
            y.push_back(*row.metrics[m][1]);
        }
        const double n1 = m == 0 ? 50'000 : 46'837, n2 = m == 0 ? 10'000 : 9'858;
        for (const auto& [correlation, expected] :
             fixture()["published_315"][std::string(name_of(gap_metrics[m]))].items()) {
            const double r = std::stod(correlation);
            const auto factor = [&](const std::vector<double>& values, std::size_t set) {
                if (m < 2) return of_table(values, set == 0 ? n1 : n2, r);
                return table_factor(std::vector(values.size(), subgroup_error(counts[set])), r);
            };
            const Compared c(x, y, factor(x, 0), factor(y, 1));
            compare_all(c, expected, m < 2 ? n1 : 0, alone(x.size()), "315, r = " + correlation);
        }
    }
}

void expect_difference(const json& expected, const GapDifference& found, double tolerance) {
    EXPECT_NEAR(found.difference.value, expected["value"].get<double>(), tolerance);
    EXPECT_NEAR(found.difference.low, expected["low"].get<double>(), tolerance);
    EXPECT_NEAR(found.difference.high, expected["high"].get<double>(), tolerance);
    ASSERT_TRUE(found.share);
    EXPECT_NEAR(found.share->value, expected["share"].get<double>(), tolerance);
    EXPECT_NEAR(found.share->low, expected["share_low"].get<double>(), tolerance);
    EXPECT_NEAR(found.share->high, expected["share_high"].get<double>(), tolerance);
}

TEST(Statements, DifferencesOfGapsOfStores) {
    const json& c = fixture()["differences"];
    std::array<Factor, 2> a, b;
    std::array<std::vector<double>, 2> va, vb;
    for (const auto& [set, name] : {std::pair{0U, "first"}, {1U, "second"}}) {
        va[set] = c[name]["a"].get<std::vector<double>>();
        vb[set] = c[name]["b"].get<std::vector<double>>();
        a[set] = factor_of(c[name]["D_a"]);
        b[set] = factor_of(c[name]["D_b"]);
    }
    const MetricFactors by_a{a.data(), &a[1]}, by_b{b.data(), &b[1]};
    for (std::size_t m = 0; m < 2; ++m) {
        const std::vector<GapCovariance> cov{covariance_of_model(by_a, by_b, m)};
        expect_difference(c["models_then_mean"][m],
                          difference_of_gaps(va[0][m] - va[1][m], vb[0][m] - vb[1][m], cov, .95),
                          1e-8);
    }
    const std::vector<GapCovariance> cov{covariance_of_means(by_a, by_b)};
    expect_difference(c["models_then_mean"][2],
                      difference_of_gaps(mean_of(va[0]) - mean_of(va[1]),
                                         mean_of(vb[0]) - mean_of(vb[1]), cov, .95),
                      1e-8);
    // A metric compared with itself gives 0, with an interval of width 0.
    const std::vector<GapCovariance> same{covariance_of_means(by_a, by_a)};
    const GapDifference none = difference_of_gaps(.1, .1, same, .95);
    EXPECT_EQ(none.difference.low, 0);
    EXPECT_EQ(none.difference.high, 0);
    // 0.01 with a standard error of 0.01 does not differ significantly from 0.
    const std::vector<GapCovariance> unclear{{1e-4, 0, 1e-4}};
    EXPECT_FALSE(difference_of_gaps(.01, .01, unclear, .95).share);
}

TEST(Statements, DifferencesOfPublishedGaps) {
    if (shared_data().empty()) GTEST_SKIP() << "no shared data beside the checkout";
    const GapTable table = read_gap_table(shared_data() / "multilabel_models.csv");
    const std::array<std::array<double, 2>, 2> images{{{50'000, 10'000}, {46'837, 9'858}}};
    const std::array<std::vector<std::uint64_t>, 2> counts{
        {{39'394, 5'408, 1'319, 411, 161}, {5'083, 2'385, 1'306, 628, 237}}};
    std::array<std::array<std::vector<double>, 2>, 3> values, errors;
    for (const GapTable::Row& row : table.rows) {
        for (std::size_t m = 0; m < 3; ++m) {
            for (std::size_t set = 0; set < 2; ++set) {
                const double v = *row.metrics[m][set];
                values[m][set].push_back(v);
                errors[m][set].push_back(m == 2
                                             ? subgroup_error(counts[set])
                                             : wilson_error(v, images[m][set], 1.959963984540054));
            }
        }
    }
    const auto found = [&](std::size_t a, std::size_t b, const std::vector<double>& models) {
        const TableErrors of{{errors[a][0], errors[a][1]}, {errors[b][0], errors[b][1]}};
        std::vector<GapCovariance> all;
        for (const double r : models) {
            for (const double rho : {0., 1.}) all.push_back(covariance_of_means(of, r, rho));
        }
        return difference_of_gaps(mean_of(values[a][0]) - mean_of(values[a][1]),
                                  mean_of(values[b][0]) - mean_of(values[b][1]), all, .95);
    };
    const json& want = fixture()["differences"]["published_315"];
    expect_difference(want["top1-real r=(0.3,)"], found(0, 1, {.3}), 6e-6);
    expect_difference(want["top1-real r=(0.3, 0.8)"], found(0, 1, {.3, .8}), 6e-6);
    expect_difference(want["top1-asma r=(0.8,)"], found(0, 2, {.8}), 6e-6);
    expect_difference(want["real-asma"], found(1, 2, {.3, .8}), 6e-6);
}

// The benchmark draws all data sets more often. Intervals around the raw estimates (1.5 points, a
// tau of .55) hold the truth in hardly any draw.
TEST(GapCoverage, StatementsAboutManyModels) {
    constexpr int draws = 100;
    constexpr double level = .95;
    for (const worlds::World& world : worlds::all()) {
        const bool no_gap = world.name == "six models, no gap",
                   close = world.name == "ten close models, gap 5";
        if (!no_gap && !close) continue;
        const double gap = close ? .05 : 0;
        int held = 0, absolute = 0, tau = 0, between = 0, seen_inside = 0;
        for (int draw = 0; draw < draws; ++draw) {
            const auto at = static_cast<std::uint64_t>(draw);
            worlds::Seen a = worlds::drawn(world.first, world.first_images, world.shared, at, 0),
                         b = worlds::drawn(world.second, world.second_images, world.shared, at, 1);
            const Compared c(a.values, b.values, std::move(a.factor), std::move(b.factor));
            const auto holds = [](const Range& range, double truth) {
                return range.low <= truth + 1e-12 && truth - 1e-12 <= range.high ? 1 : 0;
            };
            held += holds(mean_gap(c.gaps, c.first, c.second, level), gap);
            absolute += holds(mean_absolute_gap(c.gaps, c.first, c.second, c.draws, level), gap);
            between +=
                holds(spread(c.gaps, total_of(c.first) + total_of(c.second), c.draws, level), 0);
            const Pairs one = pairs_of(c.first, c.first_draws),
                        two = pairs_of(c.second, c.second_draws);
            const auto orders =
                rank_correlations({c.x, total_of(c.first), &c.first_draws, &one},
                                  {c.y, total_of(c.second), &c.second_draws, &two}, level);
            tau += holds(orders.tau.value(), 1);
            seen_inside += holds(orders.tau.value(), seen_correlations(c.x, c.y)[0]);
        }
        // In 100 draws, 95 % may be .95 - 3 * .022.
        EXPECT_GE(held, 88) << world.name;
        EXPECT_GE(absolute, 90) << world.name;
        EXPECT_GE(between, 90) << world.name;
        EXPECT_GE(tau, 93) << world.name;
        EXPECT_GE(seen_inside, 98) << world.name;
    }
}

}  // namespace
}  // namespace assay::statements
