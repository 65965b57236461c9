// Compares the published model with the fixture: likelihoods, fits, splines, and the nonparametric
// fit.
#include <gtest/gtest.h>

#include "assay/error.h"
#include "assay/replication/mixture.h"
#include "assay/replication/npmle.h"
#include "fixture.h"

namespace assay::replication {
namespace {

using nlohmann::json;

BetaMixture mixture_of(const Betas& b) {
    return {b.weight, b.a, b.b, 0, 0, false};
}

class Model : public testing::Test {
protected:
    void SetUp() override {
        data_ = fixture();
        first_ = one_size(data_["A"]["N1"].get<std::vector<double>>());
        second_ = one_size(data_["A"]["N2"].get<std::vector<double>>());
    }
    json data_;
    CellCounts first_, second_;
};

TEST(BetaBinomial, KnownValues) {
    EXPECT_NEAR(log_beta_binomial(1, 1, 3, 1), std::log(0.75), 1e-14);       // mean a / (a + b)
    EXPECT_NEAR(log_beta_binomial(10, 4, 1, 1), std::log(1.0 / 11), 1e-12);  // uniform density
    EXPECT_EQ(log_beta_binomial(0, 0, 2, 3), 0);
    double sum = 0;
    for (int k = 0; k <= 40; ++k) sum += std::exp(log_beta_binomial(40, k, 27, .38));
    EXPECT_NEAR(sum, 1, 1e-12);
}

TEST_F(Model, LikelihoodsAtGivenParameters) {
    const json& a = data_["A"];
    const auto near = [](double x, const json& want) {
        EXPECT_NEAR(x, want.get<double>(), 1e-8 * std::abs(want.get<double>()));
    };
    near(log_likelihood(first_, mixture_of(sim1_first())), a["loglik_v1_at_sim_params"]);
    near(log_likelihood(second_, mixture_of(sim1_second())), a["loglik_v2_at_sim_params"]);
    near(log_likelihood(from_rows(data_["B"]["v1_n_k_count"], 2), mixture_of(sim1_first())),
         data_["B"]["loglik_v1_at_sim_params"]);
    near(log_likelihood(expected_cells(sim1_first(), 40), mixture_of(sim1_first())),
         data_["E"]["q1_loglik_per_image_at_truth"]);
    near(log_likelihood(expected_cells(sim1_second(), 40), mixture_of(sim1_second())),
         data_["E"]["q2_loglik_per_image_at_truth"]);
}

TEST_F(Model, OneRoundGivesThePublishedWeights) {
    MixtureOptions options;
    options.start = mixture_of(sim1_first());
    options.max_rounds = 1;
    const BetaMixture m = fit_mixture(first_, options);
    ASSERT_EQ(m.rounds, 1);
    for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(m.weight[j], data_["A"]["em_weights_after_one_E_step_v1"][j].get<double>(),
                    1e-10);
    }
}

TEST_F(Model, OnePartMaximum) {
    MixtureOptions options;
    options.parts = 1;
    options.random_starts = 2;
    for (const auto& [set, counts] : {std::pair{"v1", &first_}, std::pair{"v2", &second_}}) {
        const json& want = data_["A"]["betabinomial_k1_mle"][set];
        const BetaMixture m = fit_mixture(*counts, options);
        EXPECT_NEAR(m.log_likelihood, want["loglik"].get<double>(), 1e-6) << set;
        EXPECT_NEAR(m.a[0] / want["alpha"].get<double>(), 1, 1e-4) << set;
        EXPECT_NEAR(m.b[0] / want["beta"].get<double>(), 1, 1e-4) << set;
    }
}

TEST_F(Model, ThreePartsReachTheBestKnown) {
    const json& best = data_["A"]["mixture_k3_best_loglik_found"];
    const json& saturated = data_["A"]["saturated_loglik"];
    for (const auto& [set, counts] : {std::pair{"v1", &first_}, std::pair{"v2", &second_}}) {
        const BetaMixture m = fit_mixture(*counts, {});
        EXPECT_GE(m.log_likelihood, best[set].get<double>() - 1e-6) << set;
        EXPECT_LE(m.log_likelihood, saturated[set].get<double>()) << set;
        EXPECT_NEAR(m.log_likelihood, log_likelihood(*counts, m),
                    1e-9 * std::abs(m.log_likelihood));
    }
}

TEST_F(Model, NoiseFreeReadingsAreFittedExactly) {
    for (const auto& [key, truth] : {std::pair{"q1_loglik_per_image_at_truth", sim1_first()},
                                     std::pair{"q2_loglik_per_image_at_truth", sim1_second()}}) {
        MixtureOptions options;
        options.tolerance = 0;
        const BetaMixture m = fit_mixture(expected_cells(truth, 40), options);
        EXPECT_GE(m.log_likelihood, data_["E"][key].get<double>() - 1e-7) << key;
    }
}

TEST_F(Model, PublishedSplineOnTheGrid) {
    for (const char* who : {"weak", "strong"}) {
        const json& want = data_["A"]["spline_lsq_official_grid1000"][who];
        const SplineFitter fitter(second_, mixture_of(sim1_second()), Integrals::grid1000, false);
        const AccuracySpline spline =
            fitter.fit(data_["A"][std::string("C_") + who].get<std::vector<double>>());
        EXPECT_NEAR(spline.objective / want["objective"].get<double>(), 1, 1e-6) << who;
        EXPECT_EQ(spline.constrained, want["constrained"].get<bool>()) << who;
        EXPECT_NEAR(mean_under(spline, mixture_of(sim1_first())), want["A"].get<double>(), 2e-5)
            << who;
        const double at[] = {.3, .5, .7, .8, .9, .95, 1};
        for (std::size_t i = 0; i < 7; ++i) {
            EXPECT_NEAR(spline.at(at[i]), want["g_at_.3_.5_.7_.8_.9_.95_1"][i].get<double>(), 2e-4)
                << who << at[i];
        }
        double least = 1, most = 0;
        for (int i = 0; i <= 1000; ++i) {
            least = std::min(least, spline.at(i / 1000.0));
            most = std::max(most, spline.at(i / 1000.0));
        }
        EXPECT_GT(least, 0) << who;
        EXPECT_LE(most, 1 + 1e-9) << who;
    }
}

TEST(Spline, ExactIntegralsRecoverACubic) {
    // g is in the span, the density is correct and the readings are exact. So the result is exact,
    // too, and the integral of the curve is the sum of its readings.
    const Betas p1 = sim1_first(), p2 = sim1_second();
    const auto g = [](double power0, double power1, double power3) {
        return .1 + .3 * power0 * power1 + .4 * power3;
    };
    std::vector<double> correct;
    for (int k = 0; k <= 20; ++k)
        correct.push_back(.1 * p2.cell(20, k) + .3 * p2.cell(20, k, 1) + .4 * p2.cell(20, k, 3));
    for (const bool weighted : {false, true}) {
        const SplineFitter fitter(expected_cells(p2, 20), mixture_of(p2), Integrals::exact,
                                  weighted);
        const AccuracySpline spline = fitter.fit(correct);
        EXPECT_NEAR(mean_under(spline, mixture_of(p1)), g(1, p1.moment(1), p1.moment(3)), 1e-6);
        for (int k = 0; k <= 20; ++k) {
            EXPECT_NEAR(reading_proportion(spline, mixture_of(p2), 20, k),
                        correct[static_cast<std::size_t>(k)], 1e-8);
        }
    }
}

TEST_F(Model, NonparametricFitIsCertified) {
    const RateGrid grid(200);
    for (const auto& [set, counts] : {std::pair{"v1", &first_}, std::pair{"v2", &second_}}) {
        const json& want = data_["A"]["npmle_grid200"][set];
        const RateDistribution fit = fit_rates(*counts, grid);
        const double listed = want["loglik"].get<double>();
        EXPECT_GE(fit.log_likelihood, listed - 1e-3) << set;
        EXPECT_LE(fit.log_likelihood, listed + 1000 * want["gradient_gap"].get<double>()) << set;
        EXPECT_LT(fit.gap, 1e-6) << set << " after " << fit.rounds;
        double mean = 0, sum = 0;
        for (std::size_t j = 0; j < grid.s.size(); ++j) {
            mean += fit.weight[j] * grid.s[j];
            sum += fit.weight[j];
        }
        EXPECT_NEAR(sum, 1, 1e-9);
        EXPECT_NEAR(mean, want["mean_s"].get<double>(), 1e-4) << set;
    }
}

TEST_F(Model, LogisticLine) {
    // The density of the betas of sim-1 on the grid: ds = pi/2 sin(pi t) dt, so weights s^(a-1/2)
    // (1-s)^(b-1/2), normalized for each part.
    const RateGrid grid(400);
    const auto density = [&](const Betas& p) {
        std::vector<double> out(grid.s.size(), 0.0);
        for (std::size_t part = 0; part < 3; ++part) {
            std::vector<double> w;
            double sum = 0;
            for (std::size_t j = 0; j < grid.s.size(); ++j) {
                w.push_back(std::exp((p.a[part] - .5) * std::log(grid.s[j]) +
                                     (p.b[part] - .5) * std::log(grid.rest[j])));
                sum += w.back();
            }
            for (std::size_t j = 0; j < w.size(); ++j) out[j] += p.weight[part] * w[j] / sum;
        }
        return out;
    };
    const auto p1 = density(sim1_first()), p2 = density(sim1_second());
    for (const char* who : {"weak", "strong"}) {
        const json& want = data_["A"]["logistic_linear_g_ml"][who];
        const auto curve =
            fit_logit_curve(second_, data_["A"][std::string("C_") + who].get<std::vector<double>>(),
                            grid, p2, linear_basis(grid), 0);
        EXPECT_NEAR(curve.w[0], want["w"][0].get<double>(), 1e-4);
        EXPECT_NEAR(curve.w[1], want["w"][1].get<double>(), 1e-4);
        EXPECT_NEAR(curve.log_likelihood, want["loglik_bernoulli"].get<double>(), 1e-6);
        double a = 0;
        for (std::size_t j = 0; j < p1.size(); ++j) a += p1[j] * curve.g[j];
        EXPECT_NEAR(a, want["A"].get<double>(), 1e-5);
    }
}

TEST(LogitCurve, BasisSumsToOne) {
    const RateGrid grid(50);
    const auto basis = spline_basis(grid, 8);
    for (std::size_t j = 0; j < grid.s.size(); ++j) {
        double sum = 0;
        for (std::size_t f = 0; f < 8; ++f) sum += basis[j * 8 + f];
        EXPECT_NEAR(sum, 1, 1e-12);
    }
}

TEST(Mixture, DegenerateReadings) {
    // Everybody selects every image, so the fit is a point at 1, within the limits of the
    // parameters.
    const BetaMixture all = fit_mixture(one_size({0, 0, 0, 50}), {});
    EXPECT_GT(all.log_likelihood, -1e-2);
    EXPECT_NEAR(mean_under({{0, 1, 0, 0, 0, 0, 0}, 0, false}, all), 1, 1e-3);
    EXPECT_THROW(fit_mixture(one_size({0, 0, 0}), {}), Error);
    EXPECT_THROW(fit_rates(one_size({0, 0, 0}), RateGrid(10)), Error);
    const auto rates = fit_rates(one_size({0, 0, 0, 50}), RateGrid(100));
    EXPECT_LT(rates.gap, 1e-5);
}

}  // namespace
}  // namespace assay::replication
