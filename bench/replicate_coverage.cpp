// Bias, error and coverage of the estimators' intervals, in simulations that were defined before
// they were run (replicate_worlds.h).
//
//     bench_replicate_coverage [STUDIES [THREADS [WORLD...]]]
//
// The default is 100 studies per world. The beginning of its name is enough to name a world. A
// coverage's standard error is .022 at 100 studies.
#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "assay/replication/adjust.h"
#include "core/parallel.h"
#include "replicate_worlds.h"

namespace {

using namespace assay;
using namespace assay::replication;

struct Tally {
    double bias = 0, squares = 0, width = 0;
    int covered = 0, studies = 0;
    void add(const Estimate& estimate, double truth) {
        const double error = *estimate.value - truth;
        bias += error;
        squares += error * error;
        ++studies;
        if (!estimate.interval) return;
        width += estimate.interval->high - estimate.interval->low;
        covered += estimate.interval->low <= truth && truth <= estimate.interval->high ? 1 : 0;
    }
    double coverage() const { return static_cast<double>(covered) / studies; }
};

struct OfMethod {
    std::vector<Tally> curves;
    Tally mean, remaining, slope;
    int undefined = 0;
};

struct Counts {
    std::map<std::string, OfMethod> methods;
    int warned = 0;
    double above = 0;
};

void run(const worlds::World& world, int studies, int threads) {
    const worlds::Drawer drawer(world);
    const std::size_t claimed = worlds::claimed_curves;
    const std::vector<worlds::Curve>& names = world.accuracies;
    std::vector<AdjustReport> reports(static_cast<std::size_t>(studies));
    parallel_blocks(reports.size(), threads, [&](std::size_t i) {
        AdjustOptions options;
        options.threads = 1;
        reports[i] = adjust(drawer.draw(9000 + i), options);
        reports[i].correct.clear();
    });
    double mean = 0, mean_first = 0;
    for (std::size_t m = 0; m < drawer.truth.size(); ++m) {
        mean += drawer.truth[m] / static_cast<double>(drawer.truth.size());
        mean_first += drawer.first_accuracy[m] / static_cast<double>(drawer.truth.size());
    }
    const double slope = *fit_line(drawer.first_accuracy, drawer.truth).slope.value;
    Counts counts;
    for (const AdjustReport& report : reports) {
        for (const MethodResult& method : report.methods) {
            OfMethod& of = counts.methods[method.id];
            of.curves.resize(drawer.truth.size());
            if (!method.defined()) {
                ++of.undefined;
                continue;
            }
            for (std::size_t m = 0; m < drawer.truth.size(); ++m)
                of.curves[m].add(method.adjusted[m], drawer.truth[m]);
            of.mean.add(method.mean_adjusted, mean);
            of.remaining.add(method.mean_gap.remaining, mean_first - mean);
            if (method.line) of.slope.add(method.line->slope, slope);
        }
        if (report.methods.front().blind_spots)
            counts.above += report.methods.front().blind_spots->above_99 / studies;
        bool about_top = false;
        for (const std::string& warning : report.warnings)
            about_top = about_top || warning.find("larger selection rates") != std::string::npos;
        counts.warned += about_top ? 1 : 0;
    }
    fmt::print(
        "{}{}: original above the replication's 99th percentile {:.1f} %, warned in {} of "
        "{} studies\n",
        world.name, world.claimed ? "" : " (no claim)", 100 * counts.above, counts.warned, studies);
    fmt::print("  {:<12} {:>18} {:>6} {:>17} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7}\n", "method",
               "largest bias", "rmse", "least cover", "mean", "width", "top", "avg", "remain",
               "slope");
    for (const auto& [id, of] : counts.methods) {
        if (of.mean.studies == 0) continue;
        double bias = 0, rmse = 0, least = 2, covered = 0, width = 0;
        std::string biased, missed;
        for (std::size_t m = 0; m < claimed; ++m) {
            const Tally& t = of.curves[m];
            const double b = 100 * t.bias / t.studies;
            if (std::abs(b) > std::abs(bias)) {
                bias = b;
                biased = names[m].name;
            }
            rmse += 100 * std::sqrt(t.squares / t.studies) / static_cast<double>(claimed);
            covered += t.coverage() / static_cast<double>(claimed);
            width += 100 * t.width / t.studies / static_cast<double>(claimed);
            if (t.coverage() < least) {
                least = t.coverage();
                missed = names[m].name;
            }
        }
        fmt::print(
            "  {:<12} {:6.2f} {:>11.11} {:6.2f} {:5.3f} {:>11.11} {:6.3f} {:6.2f} {:6.3f} "
            "{:6.3f} {:6.3f} {:7.3f}\n",
            id, bias, biased, rmse, least, missed, covered, width, of.curves.back().coverage(),
            of.mean.coverage(), of.remaining.coverage(),
            of.slope.studies > 0 ? of.slope.coverage() : 0);
    }
    std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
    const int studies = count > 1 ? std::atoi(arguments[1]) : 100;
    const int threads = count > 2 ? std::atoi(arguments[2]) : 1;
    std::vector<worlds::World> known = worlds::all();
    for (worlds::World& world : worlds::held_out()) known.push_back(std::move(world));
    for (const worlds::World& world : known) {
        bool wanted = count <= 3;
        for (int i = 3; i < count; ++i) wanted = wanted || world.name.starts_with(arguments[i]);
        if (wanted) run(world, studies, threads);
    }
    return 0;
}
