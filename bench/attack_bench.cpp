// The cost of attacks compared with that of the model's passes. `passes` is ten
// times scores and gradients of a batch of 8 on one thread, `pgd` is an attack of ten steps on it.
// Compare the CPU times. BENCH_MODEL names a model with its settings next to it, or in
// BENCH_SETTINGS; without it, the shared MobileNet v1 0.25.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "assay/model/model_spec.h"
#include "assay/robustness/attack.h"
#include "assay/robustness/pixel_model.h"
#include "core/random.h"

namespace {

using namespace assay;

constexpr std::size_t images = 8;

struct Attacked {
    std::unique_ptr<AttackedModel> model;
    std::vector<float> pixels;
    std::vector<std::uint32_t> labels;
    std::vector<std::uint64_t> items;

    Attacked() {
        const std::filesystem::path source(ASSAY_SOURCE_DIR);
        const char* given = std::getenv("BENCH_MODEL");
        const char* settings = std::getenv("BENCH_SETTINGS");
        const ModelSpec spec = given != nullptr
                                   ? resolve_model(given, {}, settings != nullptr ? settings : "")
                                   : resolve_model(source /
                                                       "../shared/data/models/"
                                                       "mobilenet_v1_0.25_128.pt",
                                                   {}, source / "examples/models");
        model = pixel_model(open_classifier(spec, {"cpu", Isolation::off}), spec.preprocess);
        RandomStream random(1, "bench.attack", 0);
        pixels.resize(images * model->shape().size());
        for (float& v : pixels) v = static_cast<float>(random.below(256)) / 255;
        for (std::size_t i = 0; i < images; ++i) {
            labels.push_back(static_cast<std::uint32_t>(i % model->classes()));
            items.push_back(i);
        }
    }
};

Attacked& attacked() {
    static Attacked made;
    return made;
}

void passes(benchmark::State& state) {
    Attacked& a = attacked();
    std::vector<float> scores(images * a.model->classes()), gradient(a.pixels.size());
    std::vector<double> losses(images);
    for ([[maybe_unused]] auto _ : state) {
        for (int step = 0; step < 10; ++step) {
            a.model->gradients({Loss::cross_entropy, a.pixels, a.labels, {}},
                               {scores, losses, gradient});
        }
    }
}

void pgd(benchmark::State& state, bool verify) {
    Attacked& a = attacked();
    AttackOptions options;
    options.verify = verify;
    for ([[maybe_unused]] auto _ : state) {
        benchmark::DoNotOptimize(
            run_attack(attack_named("pgd"), *a.model, {a.pixels, a.labels, a.items}, options));
    }
}

BENCHMARK(passes)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(pgd, ten_steps, false)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(pgd, ten_steps_and_verified, true)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace

BENCHMARK_MAIN();
