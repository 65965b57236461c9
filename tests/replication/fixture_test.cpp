// All deterministic values of the fixture that need no iteration.
#include <gtest/gtest.h>

#include "assay/replication/estimators.h"
#include "fixture.h"

namespace assay::replication {
namespace {

using nlohmann::json;

class Fixture : public testing::Test {
protected:
    void SetUp() override { data_ = fixture(); }
    json data_;
};

std::vector<int> exponents_of(const std::string& text) {
    return json::parse(text).get<std::vector<int>>();
}

TEST_F(Fixture, TenAnnotators) {
    const json& a = data_["A"];
    const auto first = one_size(a["N1"].get<std::vector<double>>());
    const auto second = one_size(a["N2"].get<std::vector<double>>());
    for (const char* who : {"weak", "strong"}) {
        const auto correct = a[std::string("C_") + who].get<std::vector<double>>();
        const json& want = a[who];
        for (const auto& [m, value] : want["theta_m"].items()) {
            EXPECT_NEAR(naive_weights(first, second, std::stoi(m)).of(correct), value.get<double>(),
                        1e-11)
                << who << m;
        }
        for (const auto& [d, value] : want["jackknife_d"].items()) {
            EXPECT_NEAR(jackknife_weights(first, second, std::stoi(d)).of(correct),
                        value.get<double>(), 1e-11)
                << d;
        }
        const std::vector<int> ns{10, 8, 6};
        EXPECT_NEAR(extrapolated_weights(first, second, ns).of(correct),
                    want["quadratic_in_1_over_n_from_10_8_6"].get<double>(), 1e-9);
        for (const auto& [degree, value] : want["drm"].items()) {
            std::vector<int> e;
            for (int i = 0; i <= std::stoi(degree); ++i) e.push_back(i);
            const MomentProjection projection(first, second, e);
            const auto fit = projection.fit(correct);
            EXPECT_NEAR(fit.accuracy, value.get<double>(), 1e-9) << who << " degree " << degree;
            if (!want["drm_se_iid"].contains(degree)) continue;
            EXPECT_NEAR(projection.standard_error(fit, correct),
                        want["drm_se_iid"][degree].get<double>(), 1e-9);
        }
        for (const auto& [set, value] : want["moment_sets"].items()) {
            const MomentProjection projection(first, second, exponents_of(set));
            const auto fit = projection.fit(correct);
            EXPECT_NEAR(fit.accuracy, value["A"].get<double>(), 1e-9) << who << set;
            EXPECT_NEAR(projection.weights().of(correct), value["A"].get<double>(), 1e-9)
                << who << set;
            EXPECT_NEAR(projection.standard_error(fit, correct), value["se_iid"].get<double>(),
                        1e-9)
                << who << set;
        }
    }
}

TEST_F(Fixture, UnequalNumbersOfAnnotators) {
    const json& b = data_["B"];
    const auto first = from_rows(b["v1_n_k_count"], 2),
               second = from_rows(b["v2_n_k_count_correct"], 2);
    const auto correct = from_rows(b["v2_n_k_count_correct"], 3).images;
    EXPECT_NEAR(naive_weights(first, second, 8).of(correct), b["naive_thinned_to_8"].get<double>(),
                1e-9);
    EXPECT_NEAR(first.mean_frequency(), b["mean_s"]["v1"].get<double>(), 1e-12);
    EXPECT_NEAR(second.mean_frequency(), b["mean_s"]["v2"].get<double>(), 1e-12);
    for (const auto& [set, value] : b["moment_sets"].items()) {
        const MomentProjection projection(first, second, exponents_of(set));
        const auto fit = projection.fit(correct);
        EXPECT_NEAR(fit.accuracy, value["A"].get<double>(), 1e-9) << set;
        EXPECT_NEAR(projection.standard_error(fit, correct), value["se_iid"].get<double>(), 1e-9)
            << set;
    }
    for (int degree = 1; degree <= 3; ++degree) {
        std::vector<int> e;
        for (int i = 0; i <= degree; ++i) e.push_back(i);
        const MomentProjection projection(first, second, e);
        const auto fit = projection.fit(correct);
        const std::string key = std::to_string(degree);
        EXPECT_NEAR(fit.accuracy, b["drm"][key].get<double>(), 1e-9) << key;
        EXPECT_NEAR(projection.standard_error(fit, correct), b["drm_se_iid"][key].get<double>(),
                    1e-9)
            << key;
    }
}

TEST_F(Fixture, EmptyBin) {
    const json& c = data_["C"];
    const auto first = one_size(c["N1"].get<std::vector<double>>());
    const auto second = one_size(c["N2"].get<std::vector<double>>());
    const auto correct = c["C2"].get<std::vector<double>>();
    const auto shared = naive_weights(first, second, 3);
    EXPECT_NEAR(shared.of(correct), 2.0 / 3, 1e-12);
    EXPECT_NEAR(shared.covered, 0.9, 1e-12);
    EXPECT_NEAR(naive_weights(first, second, 3, EmptyBins::count_zero).of(correct), 0.6, 1e-12);
}

TEST_F(Fixture, ToyModelHasClosedForms) {
    // p_f = Beta(2,2) and p1 = Beta(3,2). Images that are accepted by n readings have the density
    // (n p1 + 4 p_f) / (n + 4).
    const json& d = data_["D"];
    const Betas first{{1}, {3}, {2}};
    const auto run = [&](int n, auto&& weights) {
        const Betas second{{n / (n + 4.0), 4 / (n + 4.0)}, {3, 2}, {2, 2}};
        std::vector<double> correct;
        for (int k = 0; k <= n; ++k) correct.push_back(second.cell(n, k, 1));
        return weights(expected_cells(first, n), expected_cells(second, n)).of(correct);
    };
    // In the table, set 2 is drawn with the readings of the candidate pool itself, so naive(pool) =
    // A1 - D c / (n + c).
    const Betas pool{{1}, {2}, {2}};
    for (const auto& [n_text, value] : d["naive"].items()) {
        const int n = std::stoi(n_text);
        if (n == 0) continue;
        std::vector<double> correct;
        for (int k = 0; k <= n; ++k) correct.push_back(pool.cell(n, k, 1));
        EXPECT_NEAR(naive_weights(expected_cells(first, n), expected_cells(pool, n), n).of(correct),
                    value.get<double>(), 1e-11);
    }
    for (const auto& [n_text, value] : d["jackknife_d1_n"].items()) {
        const int n = std::stoi(n_text);
        std::vector<double> correct;
        for (int k = 0; k <= n; ++k) correct.push_back(pool.cell(n, k, 1));
        EXPECT_NEAR(
            jackknife_weights(expected_cells(first, n), expected_cells(pool, n), 1).of(correct),
            value.get<double>(), 1e-11);
    }
    for (const int n : {2, 5, 10, 40}) {
        EXPECT_NEAR(run(n,
                        [](const auto& one, const auto& two) {
                            return MomentProjection(one, two, {0, 1}).weights();
                        }),
                    0.6, 1e-12)
            << n;
    }
}

TEST_F(Fixture, NoiseFreeSimulatorOne) {
    const json& e = data_["E"];
    const Betas p1 = sim1_first(), p2 = sim1_second();
    const auto first = expected_cells(p1, 40), second = expected_cells(p2, 40);
    struct Sums {
        double mean = 0, first = 0, last = 0;
    };
    const auto over_models = [&](const CellWeights& weights) {
        Sums sums;
        for (int m = 0; m < 20; ++m) {
            std::vector<double> correct;
            for (int k = 0; k <= 40; ++k) correct.push_back(Curve(m).correct(p2, 40, k));
            const double a = weights.of(correct);
            sums.mean += a / 20;
            if (m == 0) sums.first = a;
            if (m == 19) sums.last = a;
        }
        return sums;
    };
    const auto expect = [&](const char* key, const CellWeights& weights) {
        const Sums sums = over_models(weights);
        EXPECT_NEAR(sums.mean, e[key]["mean"].get<double>(), 1e-8) << key;
        EXPECT_NEAR(sums.first, e[key]["model0"].get<double>(), 1e-8) << key;
        EXPECT_NEAR(sums.last, e[key]["model19"].get<double>(), 1e-8) << key;
    };
    expect("naive", naive_weights(first, second, 40));
    expect("naive_n10", naive_weights(first, second, 10));
    expect("naive_n5", naive_weights(first, second, 5));
    expect("jackknife_d1", jackknife_weights(first, second, 1));
    expect("jackknife_d10", jackknife_weights(first, second, 10));
    expect("jackknife_d20", jackknife_weights(first, second, 20));
    for (int degree = 2; degree <= 6; ++degree) {
        std::vector<int> all;
        for (int i = 0; i <= degree; ++i) all.push_back(i);
        expect(("drm" + std::to_string(degree)).c_str(),
               MomentProjection(first, second, all).weights());
    }
    expect("moments_0_1_3_8", MomentProjection(first, second, {0, 1, 3, 8}).weights());
    expect("moments_0_1_2_5_12", MomentProjection(first, second, {0, 1, 2, 5, 12}).weights());
    expect("moments_0_1_3_8_20", MomentProjection(first, second, {0, 1, 3, 8, 20}).weights());
    for (int m = 0; m < 20; ++m) {
        EXPECT_NEAR(Curve(m).truth(p1), e["truth_A"][static_cast<std::size_t>(m)].get<double>(),
                    1e-9);
    }
}

TEST(Invariance, CommonRescalingLeavesMomentsUnchanged) {
    // If 5 % of the annotators never answer, every rate is multiplied by 0.95, and expected
    // factorial moments of degree e by 0.95^e. With all powers up to the largest, the span is the
    // same, so the estimate is the same, too.
    const int n = 12;
    const Betas p1 = sim1_first(), p2 = sim1_second();
    const auto mixed = [&](const Betas& p, double power) {
        // P(k) has 0.95 s instead of s, because each annotator answers with probability 0.95.
        std::vector<double> counts(static_cast<std::size_t>(n) + 1, 0.0);
        for (int k = 0; k <= n; ++k) {
            for (int j = 0; j <= k; ++j) {
                counts[static_cast<std::size_t>(j)] += p.cell(n, k, power) *
                                                       std::exp(log_choose(k, j)) *
                                                       std::pow(0.95, j) * std::pow(0.05, k - j);
            }
        }
        return counts;
    };
    const Curve g(7);
    const auto correct = [&](auto&& cells) {
        std::vector<double> sum(static_cast<std::size_t>(n) + 1, 0.0);
        for (std::size_t k = 0; k < sum.size(); ++k) {
            sum[k] = g.c0 * cells(0.0)[k] + g.c1 * cells(1.0)[k] + g.c2 * cells(9.0)[k];
        }
        return sum;
    };
    for (const auto& e : {std::vector<int>{0, 1, 2, 5}, std::vector<int>{0, 1, 2, 3, 4}}) {
        const double plain = MomentProjection(expected_cells(p1, n), expected_cells(p2, n), e)
                                 .weights()
                                 .of(correct([&](double j) {
                                     std::vector<double> c;
                                     for (int k = 0; k <= n; ++k) c.push_back(p2.cell(n, k, j));
                                     return c;
                                 }));
        const double silent = MomentProjection(one_size(mixed(p1, 0)), one_size(mixed(p2, 0)), e)
                                  .weights()
                                  .of(correct([&](double j) { return mixed(p2, j); }));
        EXPECT_NEAR(plain, silent, 1e-9);
    }
}

}  // namespace
}  // namespace assay::replication
