// Bias, error and coverage of estimators over simulated studies with known truth, in percentage
// points.
#pragma once

#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "assay/replication/adjust.h"
#include "assay/replication/simulation.h"

namespace assay::replication {

struct Quality {
    double bias = 0, squares = 0, width = 0, mean_width = 0;
    double covered = 0, intervals = 0, mean_covered = 0, mean_intervals = 0;
    double slope_covered = 0, slope_intervals = 0;
    int studies = 0;

    double mean_bias() const { return 100 * bias / studies; }
    double rmse() const { return 100 * std::sqrt(squares / studies); }
    double coverage() const { return covered / intervals; }
    double mean_coverage() const { return mean_covered / mean_intervals; }
    double slope_coverage() const { return slope_covered / slope_intervals; }
    double mean_interval() const { return 100 * mean_width / mean_intervals; }

    void add(const std::vector<Estimate>& estimates, const Estimate& mean,
             const std::vector<double>& truth) {
        const double models = static_cast<double>(truth.size());
        double average = 0;
        for (std::size_t m = 0; m < truth.size(); ++m) {
            const double error = *estimates[m].value - truth[m];
            bias += error / models;
            squares += error * error / models;
            average += truth[m] / models;
            if (!estimates[m].interval) continue;
            intervals += 1;
            covered +=
                estimates[m].interval->low <= truth[m] && truth[m] <= estimates[m].interval->high
                    ? 1
                    : 0;
        }
        if (mean.interval) {
            mean_intervals += 1;
            mean_width += mean.interval->high - mean.interval->low;
            mean_covered += mean.interval->low <= average && average <= mean.interval->high ? 1 : 0;
        }
        ++studies;
    }
    void add_slope(const std::optional<LineFit>& line, double truth) {
        if (!line || !line->slope.interval) return;
        slope_intervals += 1;
        slope_covered +=
            line->slope.interval->low <= truth && truth <= line->slope.interval->high ? 1 : 0;
    }
};

/// Draws a study for each seed from `seed` on. Adds the result of every method under its id
/// ("none" is the raw accuracy).
inline std::map<std::string, Quality> measure(World world, int studies, std::uint64_t seed,
                                              const AdjustOptions& options, int threads = 1) {
    std::map<std::string, Quality> found;
    for (int i = 0; i < studies; ++i) {
        SimulationOptions simulation;
        simulation.world = world;
        simulation.seed = seed + static_cast<std::uint64_t>(i);
        simulation.threads = threads;
        const Simulation drawn = simulate(simulation);
        const AdjustReport report = adjust(study_of(drawn), options);
        found["none"].add(report.second, report.mean_second, drawn.truth.adjusted);
        for (const MethodResult& method : report.methods) {
            if (!method.defined()) continue;
            found[method.id].add(method.adjusted, method.mean_adjusted, drawn.truth.adjusted);
            // Set 1 is easier by the same amount for all classifiers, so the true slope is 1.
            if (world != World::probit) found[method.id].add_slope(method.line, 1);
        }
    }
    return found;
}

}  // namespace assay::replication
