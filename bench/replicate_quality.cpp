// Bias, error and coverage of every estimator on simulated studies, against the agreed thresholds.
//
//     bench_replicate_quality [STUDIES [THREADS [beta|grid|lenient|probit|steep]]]
//
// The default of 100 studies per world takes a minute and a half on two cores.
//
// Exit status 1 if a threshold is missed.
#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "replication/quality.h"

namespace {

using namespace assay::replication;
bool all_met = true;

void require(const char* what, double value, double low, double high) {
    const bool met = value >= low && value <= high;
    all_met = all_met && met;
    fmt::print("  {} {:<46} {:8.3f}   allowed {:.3f} to {:.3f}\n", met ? "ok    " : "MISSED", what,
               value, low, high);
}

void print(const char* title, const std::map<std::string, Quality>& found) {
    fmt::print("{}\n  {:<22} {:>8} {:>8} {:>9} {:>9} {:>9} {:>9}\n", title, "method", "bias",
               "rmse", "cover", "mean", "width", "slope");
    for (const auto& [id, q] : found) {
        fmt::print("  {:<22} {:8.2f} {:8.2f}", id, q.mean_bias(), q.rmse());
        if (q.intervals > 0)
            fmt::print(" {:9.3f} {:9.3f} {:9.2f}", q.coverage(), q.mean_coverage(),
                       q.mean_interval());
        if (q.slope_intervals > 0) fmt::print(" {:9.3f}", q.slope_coverage());
        fmt::print("\n");
    }
    std::fflush(stdout);
}

void check_beta(int studies, int threads) {
    AdjustOptions options;
    options.likelihood = false;
    options.jackknife = {1, 10, 20};
    options.mixture = true;
    auto beta = measure(World::beta, studies, 1000, options, threads);
    print("beta, intervals by class", beta);
    require("raw bias", beta["none"].mean_bias(), -8.45, -7.95);
    require("naive bias", beta["naive"].mean_bias(), -2.38, -1.88);
    require("jackknife d=1 bias", beta["jackknife1"].mean_bias(), -1.38, -.68);
    require("jackknife d=10 bias", beta["jackknife10"].mean_bias(), -1.44, -.84);
    require("naive - jackknife d=20 (order)",
            beta["naive"].mean_bias() - beta["jackknife20"].mean_bias(), -9, 0);
    require("jackknife d=20 - d=10 (order)",
            beta["jackknife20"].mean_bias() - beta["jackknife10"].mean_bias(), -9, 0);
    require("moments bias", beta["moments"].mean_bias(), -.25, .25);
    require("moments rmse", beta["moments"].rmse(), 0, 1.10);
    require("moments coverage", beta["moments"].coverage(), .905, .975);
    require("moments coverage of the mean", beta["moments"].mean_coverage(), .86, .99);
    require("moments width of the mean's interval", beta["moments"].mean_interval(), 2.2, 2.8);
    require("moments slope coverage", beta["moments"].slope_coverage(), .88, .99);
    require("moments 0,1,3,8 bias", beta["moments.0_1_3_8"].mean_bias(), -.30, .30);
    require("moments 0,1,3,8 rmse", beta["moments.0_1_3_8"].rmse(), 0, .90);
    require("mixture, exact and weighted, bias", beta["mixture"].mean_bias(), -.6, .6);
    require("mixture, exact and weighted, rmse", beta["mixture"].rmse(), 0, 1.8);
}

void check_grid(int studies, int threads) {
    AdjustOptions parity;
    parity.likelihood = parity.moments = parity.naive = false;
    parity.jackknife.clear();
    parity.mixture = parity.grid_integrals = true;
    auto grid = measure(World::beta, studies, 1000, parity, threads);
    print("beta, the published sums over 1000 points", grid);
    require("mixture, grid, bias", grid["mixture"].mean_bias(), 0, 1.1);
}

void check_lenient(int studies, int threads) {
    AdjustOptions plain;
    plain.likelihood = false;
    plain.jackknife = {1, 10};
    auto lenient = measure(World::lenient, studies, 3000, plain, threads);
    print("lenient, intervals by class", lenient);
    require("moments bias", lenient["moments"].mean_bias(), -.25, .25);
    require("moments rmse", lenient["moments"].rmse(), 0, 1.10);
    require("moments coverage", lenient["moments"].coverage(), .905, .975);
    require("moments coverage of the mean", lenient["moments"].mean_coverage(), .86, .99);
}

void check_probit(int studies, int threads) {
    AdjustOptions plain;
    plain.likelihood = false;
    plain.jackknife = {1, 10};
    auto probit = measure(World::probit, studies, 5000, plain, threads);
    print("probit, intervals by class", probit);
    require("moments bias", probit["moments"].mean_bias(), -.20, .20);
    require("moments rmse", probit["moments"].rmse(), 0, .75);
    require("moments coverage", probit["moments"].coverage(), .905, .985);
    plain.units = Units::images;
    auto images = measure(World::probit, studies, 5000, plain, threads);
    print("probit, intervals by image (too narrow)", images);
    require("moments coverage by image", images["moments"].coverage(), 0, .93);
}

/// A simulation that was not used for any choice. Its curve and densities are unfavourable for the
/// default.
void check_steep(int studies, int threads) {
    AdjustOptions plain;
    plain.likelihood = false;
    plain.jackknife = {1, 10};
    plain.mixture = true;
    auto steep = measure(World::steep, studies, 7000, plain, threads);
    print("steep, intervals by class", steep);
    require("moments bias", steep["moments"].mean_bias(), -.25, .25);
    require("moments coverage", steep["moments"].coverage(), .905, .985);
}

}  // namespace

int main(int count, char** arguments) {
    const int studies = count > 1 ? std::atoi(arguments[1]) : 100;
    const int threads = count > 2 ? std::atoi(arguments[2]) : 1;
    const std::string_view only = count > 3 ? arguments[3] : "";
    if (only.empty() || only == "beta") check_beta(studies, threads);
    if (only.empty() || only == "grid") check_grid(studies, threads);
    if (only.empty() || only == "lenient") check_lenient(studies, threads);
    if (only.empty() || only == "probit") check_probit(studies, threads);
    if (only.empty() || only == "steep") check_steep(studies, threads);
    return all_met ? 0 : 1;
}
