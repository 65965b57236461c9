// Checks that the fit of the mixture is the maximum. Compares with scipy from many starts, with
// slopes by differences, and with EM that continues from the fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "assay/replication/mixture.h"
#include "fixture.h"
#include "replication/dense.h"

namespace assay::replication {
namespace {

nlohmann::json maxima() {
    return nlohmann::json::parse(
        std::ifstream(ASSAY_SOURCE_DIR "/tests/replication/fixtures/mixture_maxima.json"));
}

/// The largest slope with respect to log a or log b, from differences of the log-likelihood.
/// Parameters at their limits are skipped.
double slope_by_differences(const CellCounts& counts, const BetaMixture& at) {
    constexpr double step = 1e-4;
    double most = 0;
    for (std::size_t j = 0; j < at.parts(); ++j) {
        for (auto member : {&BetaMixture::a, &BetaMixture::b}) {
            if ((at.*member)[j] > 9999 || (at.*member)[j] < .00101) continue;
            BetaMixture up = at, down = at;
            (up.*member)[j] *= std::exp(step);
            (down.*member)[j] *= std::exp(-step);
            most =
                std::max(most, std::abs(log_likelihood(counts, up) - log_likelihood(counts, down)) /
                                   (2 * step));
        }
    }
    return most;
}

TEST(MixtureMaximum, IsThatOfScipyFromManyStarts) {
    const nlohmann::json list = maxima();
    for (std::size_t i = 0; i < list["studies"].size(); ++i) {
        const nlohmann::json& study = list["studies"][i];
        const CellCounts counts = one_size(study["readings"].get<std::vector<double>>());
        const BetaMixture fit = fit_mixture(counts, {});
        EXPECT_GE(fit.log_likelihood, study["log_likelihood"].get<double>() - 1e-6) << i;
        EXPECT_NEAR(fit.log_likelihood, log_likelihood(counts, fit), 1e-9) << i;
        EXPECT_TRUE(fit.converged) << i;
        EXPECT_LE(fit.gradient, 1e-10 * counts.total()) << i;
        // x
        // nats here.
        EXPECT_LT(slope_by_differences(counts, fit), 1e-4) << i;
        EXPECT_NEAR(fit.weight[0] + fit.weight[1] + fit.weight[2], 1, 1e-12) << i;
    }
}

TEST(MixtureMaximum, EmGainsNothingFromThere) {
    const nlohmann::json list = maxima();
    for (const auto& study : list["studies"]) {
        const CellCounts counts = one_size(study["readings"].get<std::vector<double>>());
        MixtureOptions on;
        on.start = fit_mixture(counts, {});
        on.newton = false;
        on.tolerance = 0;
        EXPECT_LE(fit_mixture(counts, on).log_likelihood, on.start->log_likelihood + 1e-8);
    }
}

TEST(MixtureMaximum, IsReachedByAnyNumberOfParts) {
    // There are more components than the readings can separate, and readings with several numbers
    // of annotators. Components coincide, lose their weight or become points. The fit must still
    // end at a maximum.
    const CellCounts three = from_rows(fixture()["B"]["v1_n_k_count"], 2);
    double last = -INFINITY;
    for (const int parts : {1, 2, 3, 6}) {
        MixtureOptions options;
        options.parts = parts;
        options.random_starts = 4;
        const BetaMixture fit = fit_mixture(three, options);
        EXPECT_GE(fit.log_likelihood, last - 1e-6) << parts;
        EXPECT_LE(fit.gradient, 1e-8 * three.total()) << parts;
        last = fit.log_likelihood;
    }
}

TEST(SymmetricEigen, RebuildsTheMatrix) {
    EXPECT_EQ(symmetric_eigen({}, 0).values.size(), 0);
    EXPECT_EQ(symmetric_eigen({-3}, 1).values[0], -3);
    // The eigenvalues of [[2, 1], [1, 2]] are 1 and 3.
    std::vector<double> two = symmetric_eigen({2, 1, 1, 2}, 2).values;
    std::sort(two.begin(), two.end());
    EXPECT_NEAR(two[0], 1, 1e-14);
    EXPECT_NEAR(two[1], 3, 1e-14);
    const std::vector<double> matrix = {4, -2, .5, 1e-9, -2, -1, 3, 0, .5, 3, 0, 7, 1e-9, 0, 7, 2};
    const Eigen eigen = symmetric_eigen(matrix, 4);
    for (std::size_t r = 0; r < 4; ++r) {
        for (std::size_t c = 0; c < 4; ++c) {
            double sum = 0, product = 0;
            for (std::size_t v = 0; v < 4; ++v) {
                sum += eigen.vector(v)[r] * eigen.values[v] * eigen.vector(v)[c];
                product += eigen.vector(r)[v] * eigen.vector(c)[v];
            }
            EXPECT_NEAR(sum, matrix[r * 4 + c], 1e-13);
            EXPECT_NEAR(product, r == c ? 1 : 0, 1e-14);
        }
    }
}

}  // namespace
}  // namespace assay::replication
