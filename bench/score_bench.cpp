// One pass of reading and one exp per value, and every metric, on one core: bench_score STORE [--benchmark_...]
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "assay/score.h"
#include "assay/softmax.h"

namespace {

using namespace assay;
std::string store_path;

template <class Row>
void over_rows(const PredictionStore& store, Row&& row) {
    for (std::size_t s = 0; s < store.shards(); ++s) {
        const auto shard = store.shard(s);
        const auto scores = shard.f32();
        for (std::uint32_t r = 0; r < shard.rows; ++r)
            row(scores.subspan(std::size_t{r} * store.classes(), store.classes()));
    }
}

void read_only(benchmark::State& state) {
    const PredictionStore store = PredictionStore::open(store_path);
    for (auto _ : state) {
        double sum = 0;
        over_rows(store, [&](std::span<const float> row) { sum += scan_row(row, -1).max; });
        benchmark::DoNotOptimize(sum);
    }
}

void read_and_std_exp(benchmark::State& state) {
    const PredictionStore store = PredictionStore::open(store_path);
    for (auto _ : state) {
        float sum = 0;
        over_rows(store, [&](std::span<const float> row) {
            for (const float x : row) sum += std::exp(x - 9.0F);
        });
        benchmark::DoNotOptimize(sum);
    }
}

void read_and_own_exp(benchmark::State& state) {
    const PredictionStore store = PredictionStore::open(store_path);
    for (auto _ : state) {
        double sum = 0;
        over_rows(store, [&](std::span<const float> row) { sum += exp_sums(row, 9.0F).sum; });
        benchmark::DoNotOptimize(sum);
    }
}

void score(benchmark::State& state, const char* metrics, std::uint32_t replicates) {
    const PredictionStore store = PredictionStore::open(store_path);
    store.dataset();
    ScoreOptions options;
    options.threads = 1;
    options.resampling.replicates = replicates;
    if (metrics != nullptr) options.metrics = {parse_metric(metrics)};
    const auto comm = self_comm();
    for (auto _ : state) benchmark::DoNotOptimize(score_store(store, options, *comm));
}

}  // namespace

int main(int count, char** words) {
    benchmark::Initialize(&count, words);
    if (count != 2) {
        std::fputs("bench_score STORE [--benchmark_...]\n", stderr);
        return 2;
    }
    store_path = words[1];
    const auto add = [](const char* name, auto&& body, auto... rest) {
        benchmark::RegisterBenchmark(name, body, rest...)->Unit(benchmark::kMillisecond);
    };
    add("read", read_only);
    add("read_and_std_exp", read_and_std_exp);
    add("read_and_own_exp", read_and_own_exp);
    add("score/top1", score, "top1", 0U);
    add("score/ace", score, "ace", 0U);
    add("score/every_metric_without_bootstrap", score, static_cast<const char*>(nullptr), 0U);
    add("score/every_metric", score, static_cast<const char*>(nullptr), 1000U);
    benchmark::RunSpecifiedBenchmarks();
}
