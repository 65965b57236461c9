// Measures reading ReaL's votes, and one EM pass over 924,810 answers. Prints nothing if the shared
// data are absent.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "assay/annotation/aggregate.h"

namespace {

std::filesystem::path votes_file() {
    return std::filesystem::path(ASSAY_SOURCE_DIR) / "../shared/data/real/raters.npz";
}

void read(benchmark::State& state) {
    if (!std::filesystem::exists(votes_file()))
        return state.SkipWithError("the shared data are absent");
    assay::VotesOptions options;
    options.threads = static_cast<int>(state.range(0));
    for (auto _ : state) benchmark::DoNotOptimize(assay::read_votes(votes_file(), options));
}
BENCHMARK(read)
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

/// The time of a pass: (41 passes - 1 pass) / 40, because the first one also computes the start.
void em(benchmark::State& state) {
    if (!std::filesystem::exists(votes_file()))
        return state.SkipWithError("the shared data are absent");
    const assay::Votes votes = assay::read_votes(votes_file());
    assay::DawidSkeneOptions options;
    options.accelerate = false;
    options.threads = static_cast<int>(state.range(0));
    options.tolerance = 0;
    options.max_passes = static_cast<int>(state.range(1));
    std::size_t passes = 0;
    for (auto _ : state) passes = assay::dawid_skene(votes, options).objective.size();
    state.counters["passes"] = static_cast<double>(passes);
    state.counters["a_pass"] = benchmark::Counter(
        static_cast<double>(passes),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(em)
    ->Args({1, 1})
    ->Args({1, 41})
    ->Args({2, 41})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace

BENCHMARK_MAIN();
