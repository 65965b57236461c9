// Measures one pass of reading, one exp per value, and every metric on one core: bench_score STORE
// [--benchmark_...]
#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "assay/evaluate/score.h"
#include "core/softmax.h"
#include "metric/class_wise.h"

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

// The memory of the process without mapped files (such as the store), in KiB.
long anonymous_memory() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        long kib = 0;
        if (word == "RssAnon:" && status >> kib) return kib;
    }
    return 0;
}

// The largest growth of that memory while the object exists.
class PeakMemory {
public:
    PeakMemory()
        : before_(anonymous_memory()), watcher_([this] {
              while (!done_) {
                  peak_ = std::max(peak_, anonymous_memory());
                  std::this_thread::sleep_for(std::chrono::milliseconds(2));
              }
          }) {}
    double mib() {
        done_ = true;
        watcher_.join();
        return static_cast<double>(peak_ - before_) / 1024;
    }

private:
    const long before_;
    long peak_ = 0;
    std::atomic<bool> done_ = false;
    std::thread watcher_;
};

// Probabilities and labels in memory, as the published program gets them.
class ReadyRows final : public ProbabilityRows {
public:
    explicit ReadyRows(const PredictionStore& store) : classes_(store.classes()) {
        const auto& labels = store.dataset().labels;
        over_rows(store, [&](std::span<const float> row) {
            const auto set = labels[targets_.size()];
            targets_.push_back(set.empty() ? -1 : set[0]);
            const float max = scan_row(row, -1).max;
            probabilities_.resize(probabilities_.size() + row.size());
            exp_row(row, max, static_cast<float>(1 / exp_sums(row, max).sum),
                    probabilities_.data() + probabilities_.size() - row.size());
        });
    }
    std::uint64_t items() const override { return targets_.size(); }
    std::uint32_t classes() const override { return classes_; }
    std::int32_t target(std::uint64_t item) const override { return targets_[item]; }
    void read(std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, float*) const override {}
    Direct direct() const override { return Direct::proportional; }
    ScoreRow row(std::uint64_t item) const override {
        return {probabilities_.data() + item * classes_, 0, targets_[item] < 0 ? 0.0F : 1.0F};
    }

private:
    std::uint32_t classes_;
    std::vector<float> probabilities_;
    std::vector<std::int32_t> targets_;
};

void ace_of_ready_probabilities(benchmark::State& state, int threads) {
    const PredictionStore store = PredictionStore::open(store_path);
    const ReadyRows rows(store);
    for (auto _ : state) benchmark::DoNotOptimize(class_wise_sums(rows, {.threads = threads}));
}

void memory(benchmark::State& state, const char* metrics) {
    const PredictionStore store = PredictionStore::open(store_path);
    store.dataset();
    ScoreOptions options;
    options.threads = 1;
    if (metrics != nullptr) options.metrics = {parse_metric(metrics)};
    const auto comm = self_comm();
    for (auto _ : state) {
        PeakMemory peak;
        benchmark::DoNotOptimize(score_store(store, options, *comm));
        state.counters["anonymous_mib"] = peak.mib();
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
    // This one runs first, before other benchmarks have used memory.
    for (const char* metrics : {"ace", static_cast<const char*>(nullptr)}) {
        benchmark::RegisterBenchmark(metrics != nullptr ? "memory/ace" : "memory/every_metric",
                                     memory, metrics)
            ->Unit(benchmark::kMillisecond)
            ->Iterations(1)
            ->UseRealTime();
    }
    add("read", read_only);
    add("read_and_std_exp", read_and_std_exp);
    add("read_and_own_exp", read_and_own_exp);
    add("ace/ready_probabilities", ace_of_ready_probabilities, 1);
    add("score/top1", score, "top1", 0U);
    add("score/ace", score, "ace", 0U);
    add("score/auroc", score, "auroc", 0U);
    add("score/average_precision", score, "average_precision", 0U);
    add("score/classwise_ece", score, "classwise_ece", 0U);
    add("score/temperature_scaled_ece", score, "temperature_scaled_ece", 0U);
    add("score/every_metric_without_bootstrap", score, static_cast<const char*>(nullptr), 0U);
    add("score/every_metric", score, static_cast<const char*>(nullptr), 1000U);
    benchmark::RunSpecifiedBenchmarks();
}
