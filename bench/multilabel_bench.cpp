// ReaL and ASMA of one store on one core: bench_multilabel STORE LABELS [--benchmark_...]
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

#include "assay/data/label_sets.h"
#include "assay/evaluate/score.h"
#include "core/softmax.h"
#include "core/topk.h"

namespace {

using namespace assay;

std::vector<float> scores_of(const PredictionStore& store) {
    std::vector<float> all;
    for (std::size_t s = 0; s < store.shards(); ++s) {
        const auto shard = store.shard(s);
        const auto part = shard.f32();
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

// The two metrics from scores in memory, without intervals, as a script would compute them.
void in_memory(benchmark::State& state, const std::vector<float>* scores, const LabelSets* labels) {
    const std::size_t classes = scores->size() / labels->size();
    for (auto _ : state) {
        double sums[6] = {}, asma = 0;
        std::size_t counts[6] = {}, in_set = 0, labelled = 0;
        for (std::size_t i = 0; i < labels->size(); ++i) {
            const auto set = (*labels)[i];
            if (set.empty()) continue;
            const std::span<const float> row(scores->data() + i * classes, classes);
            const RowScan scan = scan_row(row, set.size() == 1 ? set[0] : -1);
            ++labelled;
            in_set += std::find(set.begin(), set.end(), scan.argmax) != set.end() ? 1U : 0U;
            if (set.size() > 5) continue;
            const auto hits = set.size() == 1 ? static_cast<std::uint32_t>(scan.rank == 0 ? 1 : 0)
                                              : variable_top_k_hits(row, set);
            sums[set.size()] += static_cast<double>(hits) / static_cast<double>(set.size());
            ++counts[set.size()];
        }
        for (std::size_t g = 1; g <= 5; ++g) asma += sums[g] / static_cast<double>(counts[g]) / 5;
        benchmark::DoNotOptimize(asma);
        state.counters["asma"] = asma;
        state.counters["real"] = static_cast<double>(in_set) / static_cast<double>(labelled);
    }
}

// The number of a row's g labels that are among its g highest scores, in every 50th row.
void hits(benchmark::State& state, const std::vector<float>* scores, std::size_t rows) {
    const std::size_t classes = scores->size() / rows, g = static_cast<std::size_t>(state.range(0));
    std::vector<std::int32_t> wanted(g);
    for (auto _ : state) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < rows; i += 50) {
            for (std::size_t k = 0; k < g; ++k)
                wanted[k] = static_cast<std::int32_t>((i + k * 97) % classes);
            const std::span<const float> row(scores->data() + i * classes, classes);
            sum += scan_row(row, -1).argmax >= 0 ? 1U : 0U;  // prefetches the row
            sum += variable_top_k_hits(row, wanted);
        }
        benchmark::DoNotOptimize(sum);
    }
}

void score(benchmark::State& state, const PredictionStore* store, const LabelSets* labels) {
    ScoreOptions options;
    options.threads = 1;
    options.labels = *labels;
    options.metrics = {parse_metric("real"), parse_metric("asma")};
    const auto comm = self_comm();
    for (auto _ : state) benchmark::DoNotOptimize(score_store(*store, options, *comm));
}

}  // namespace

int main(int count, char** words) {
    benchmark::Initialize(&count, words);
    if (count != 3) {
        std::fputs("bench_multilabel STORE LABELS [--benchmark_...]\n", stderr);
        return 2;
    }
    const PredictionStore store = PredictionStore::open(words[1]);
    const LabelSets labels = read_label_sets(words[2], store.dataset(), store.dataset().classes);
    const std::vector<float> scores = scores_of(store);
    const auto unit = benchmark::kMillisecond;
    benchmark::RegisterBenchmark("in_memory/real_and_asma", in_memory, &scores, &labels)
        ->Unit(unit);
    benchmark::RegisterBenchmark("score_store/real_and_asma", score, &store, &labels)->Unit(unit);
    benchmark::RegisterBenchmark("hits_of_1000_rows/labels", hits, &scores, labels.size())
        ->Arg(0)
        ->Arg(2)
        ->Arg(4)
        ->Arg(9)
        ->Unit(benchmark::kMicrosecond);
    benchmark::RunSpecifiedBenchmarks();
}
