// The cost of the replication estimators on one core: the mixture's EM, a bootstrap, a large study.
#include <benchmark/benchmark.h>

#include "assay/replication/adjust.h"
#include "assay/replication/mixture.h"
#include "assay/replication/npmle.h"
#include "assay/replication/simulation.h"

namespace {

using namespace assay::replication;

const Study& study(std::uint32_t per_class, std::uint32_t classifiers) {
    static std::map<std::pair<std::uint32_t, std::uint32_t>, Study> made;
    auto& found = made[{per_class, classifiers}];
    if (found.classifiers.empty()) {
        SimulationOptions options;
        options.images_per_class = per_class;
        options.classifiers = classifiers;
        found = study_of(simulate(options));
    }
    return found;
}

/// 10,000 images by 40 annotators, 3 parts, one start.
void em(benchmark::State& state) {
    const CellCounts counts = study(10, 20).second.cells();
    MixtureOptions options;
    options.random_starts = 0;
    options.newton = false;
    options.tolerance = 0;
    options.max_rounds = static_cast<int>(state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(fit_mixture(counts, options).log_likelihood);
}

void npmle(benchmark::State& state) {
    const CellCounts counts = study(10, 20).second.cells();
    const RateGrid grid(200);
    for (auto _ : state) benchmark::DoNotOptimize(fit_rates(counts, grid).log_likelihood);
}

/// 1000 replicates with 1000 classes and 10,000 images in each set.
void bootstrap(benchmark::State& state) {
    const Study& s = study(10, static_cast<std::uint32_t>(state.range(0)));
    AdjustOptions options;
    options.likelihood = options.naive = false;
    options.jackknife.clear();
    options.bootstrap = 1000;
    options.threads = 1;
    for (auto _ : state) benchmark::DoNotOptimize(adjust(s, options).bootstrap);
}

/// Estimates, influences and intervals by penalised likelihood: 10,000 images in each set, on one
/// core.
void penalised_likelihood(benchmark::State& state) {
    const Study& s = study(10, static_cast<std::uint32_t>(state.range(0)));
    AdjustOptions options;
    options.moments = options.naive = false;
    options.jackknife.clear();
    options.threads = 1;
    for (auto _ : state) benchmark::DoNotOptimize(adjust(s, options).classes);
}

/// 20,000 images in each set, 140 classifiers, analytic intervals and every closed-form estimator.
void large_study(benchmark::State& state) {
    const Study& s = study(20, 140);
    AdjustOptions options;
    options.jackknife = {1, 10};
    for (auto _ : state) benchmark::DoNotOptimize(adjust(s, options).classes);
}

BENCHMARK(em)->Arg(200)->Arg(2000)->Unit(benchmark::kMillisecond);
BENCHMARK(npmle)->Unit(benchmark::kMillisecond);
BENCHMARK(bootstrap)->Arg(20)->Arg(140)->Unit(benchmark::kMillisecond);
BENCHMARK(penalised_likelihood)->Arg(20)->Arg(140)->Unit(benchmark::kMillisecond);
BENCHMARK(large_study)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
