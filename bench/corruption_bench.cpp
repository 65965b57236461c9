// Measures images of 224 x 224 pixels per second and core, for each corruption and severity. The
// times of common Python packages are in docs/robustness.md.
#include <benchmark/benchmark.h>

#include <string>

#include "assay/robustness/corruption.h"
#include "core/random.h"

namespace {

/// Soft shapes with some noise, which compress and clip like photographs.
assay::Image made_image(int side) {
    assay::Image image{side, side, {}};
    assay::RandomStream draws(1, "corruption_bench");
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            for (int c = 0; c < 3; ++c) {
                const int v = (x * (c + 1) + y * (3 - c)) % 256;
                image.pixels.push_back(
                    static_cast<std::uint8_t>((v + static_cast<int>(draws.below(32))) % 256));
            }
            image.pixels.push_back(255);
        }
    }
    return image;
}

void corrupt_one(benchmark::State& state, const assay::Corruption& corruption, int severity) {
    const assay::Image image = made_image(224);
    assay::FrostPhotographs frost;
    frost.images.push_back(made_image(500));
    std::int64_t item = 0;
    for (auto _ : state) {
        const std::string id = std::to_string(item++);
        benchmark::DoNotOptimize(
            assay::corrupt(image, corruption, severity, {.seed = 1, .image = id}, &frost));
    }
    state.SetItemsProcessed(item);
}

}  // namespace

int main(int argc, char** argv) {
    for (const assay::Corruption& corruption : assay::corruptions()) {
        for (int severity = 1; severity <= assay::corruption_severities; ++severity) {
            const std::string name = std::string(corruption.name) + "/" + std::to_string(severity);
            benchmark::RegisterBenchmark(name.c_str(), [&corruption, severity](auto& state) {
                corrupt_one(state, corruption, severity);
            })->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
