// Images per second of the shared classifiers, by batch size and number of workers that share
// one module. Run with --benchmark_filter=mobilenet_v2. The time is that of one round, in
// which every worker does one batch.
#include <benchmark/benchmark.h>

#include <barrier>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "assay/error.h"
#include "assay/model/model_spec.h"

namespace {

using namespace assay;

std::filesystem::path models() {
    return std::filesystem::path(ASSAY_SOURCE_DIR) / "../shared/data/models";
}

void throughput(benchmark::State& state, const std::string& name) {
    const auto batch = static_cast<std::size_t>(state.range(0));
    const auto workers = static_cast<std::size_t>(state.range(1));
    const ModelSpec spec = resolve_model(
        models() / (name + ".pt"), {}, std::filesystem::path(ASSAY_SOURCE_DIR) / "examples/models");
    const auto classifier = open_classifier(spec, {"cpu"});
    const std::size_t numbers =
        batch * 3 * static_cast<std::size_t>(spec.preprocess.height * spec.preprocess.width);
    std::vector<float> input(numbers);
    for (std::size_t k = 0; k < numbers; ++k)
        input[k] = static_cast<float>(k % 255) / 127.5F - 1.0F;

    // The workers run during the whole measurement, so starting threads is not measured.
    std::barrier gate(static_cast<std::ptrdiff_t>(workers) + 1);
    std::atomic<bool> done = false;
    std::vector<std::jthread> threads;
    for (std::size_t w = 0; w < workers; ++w) {
        threads.emplace_back([&] {
            std::vector<float> out(batch * classifier->facts().classes);
            classifier->scores(input, batch, out);
            for (gate.arrive_and_wait(); !done; gate.arrive_and_wait()) {
                classifier->scores(input, batch, out);
                gate.arrive_and_wait();
            }
        });
    }
    for (auto _ : state) {
        gate.arrive_and_wait();
        gate.arrive_and_wait();
    }
    done = true;
    gate.arrive_and_wait();
    state.counters["images"] = benchmark::Counter(static_cast<double>(batch * workers),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

void open_model(benchmark::State& state) {
    const ModelSpec spec =
        resolve_model(models() / "mobilenet_v2_1.00_224.pt", {{"preset", "mobilenet"}});
    for (auto _ : state) benchmark::DoNotOptimize(open_classifier(spec, {"cpu"}));
}
BENCHMARK(open_model)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
    if (!std::filesystem::exists(models())) return 0;
    for (const char* name : {"mobilenet_v1_0.25_128", "mobilenet_v1_0.75_192",
                             "mobilenet_v2_1.00_224", "squeezenet_1.0_227"}) {
        benchmark::RegisterBenchmark(name,
                                     [name](benchmark::State& state) { throughput(state, name); })
            ->ArgNames({"batch", "workers"})
            ->ArgsProduct({{1, 2, 4, 8, 16, 32}, {1, 2}})
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
