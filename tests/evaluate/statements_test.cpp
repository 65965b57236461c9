// What is said about many models, against numbers of an independent implementation in Python
// (numpy and scipy; fixtures/statements.json holds its input and output), and in worlds whose truth
// is known.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/evaluate/gap.h"
#include "core/file.h"
#include "evaluate/statements/models_line.h"
#include "evaluate/statements/orders.h"
#include "evaluate/statements/places.h"
#include "evaluate/statements/sizes.h"
#include "scratch.h"

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
    const std::vector<std::uint64_t> counts1{39'394, 5'408, 1'319, 411, 161};
    for (const std::size_t m : {std::size_t{0}, std::size_t{1}}) {
        std::vector<double> x, y;
        for (const GapTable::Row& row : table.rows) {
            x.push_back(*row.metrics[m][0]);
            y.push_back(*row.metrics[m][1]);
        }
        const double n1 = m == 0 ? 50'000 : 46'837, n2 = m == 0 ? 10'000 : 9'858;
        for (const auto& [correlation, expected] :
             fixture()["published_315"][m == 0 ? "top1" : "real"].items()) {
            const double r = std::stod(correlation);
            const Compared c(x, y, of_table(x, n1, r), of_table(y, n2, r));
            compare_all(c, expected, n1, alone(x.size()), "315, r = " + correlation);
        }
    }
    EXPECT_NEAR(subgroup_error(counts1),
                std::sqrt(.25 * (1 / 39394. + 1 / 5408. + 1 / 1319. + 1 / 411. + 1 / 161.)) / 5,
                1e-15);
}

}  // namespace
}  // namespace assay::statements
