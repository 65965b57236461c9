// Selecting the images of a MAD competition, in nanoseconds per image and pair on one thread.
//
//   mad_bench --benchmark_filter=Scan
//
// Predictions are those of the specification's trials: 80 % correct, and errors any other class.
#include <benchmark/benchmark.h>

#include <map>

#include "assay/mad/posterior.h"
#include "assay/mad/ranking.h"
#include "assay/mad/select.h"
#include "core/random.h"

namespace assay::mad {
namespace {

struct Pool {
    std::vector<std::vector<std::uint16_t>> labels;
    std::vector<std::vector<std::uint8_t>> confidences;
};

const Pool& pool_of(std::size_t images, std::size_t classifiers) {
    static std::map<std::pair<std::size_t, std::size_t>, Pool> pools;
    Pool& pool = pools[{images, classifiers}];
    if (!pool.labels.empty()) return pool;
    std::vector<std::uint16_t> truth(images);
    RandomStream truths(1, "bench truths");
    for (auto& t : truth) t = static_cast<std::uint16_t>(truths.below(1000));
    for (std::size_t c = 0; c < classifiers; ++c) {
        RandomStream random(1, "bench predictions", c);
        auto& labels = pool.labels.emplace_back(images);
        auto& confidences = pool.confidences.emplace_back(images);
        for (std::size_t x = 0; x < images; ++x) {
            const std::uint32_t draw = random.next_u32();
            const bool correct = (draw & 0xFFFF) < 52'429;
            labels[x] = correct ? truth[x] : static_cast<std::uint16_t>((draw >> 16) % 1000);
            // 60 % of the correct predictions and 20 % of the others are confident.
            const std::uint32_t second = random.next_u32();
            const bool confident = (second & 0xFF) < (correct ? 154U : 51U);
            confidences[x] = static_cast<std::uint8_t>(confident ? 160 + (second >> 8) % 41
                                                                 : (second >> 8) % 160);
        }
    }
    return pool;
}

/// The arguments are images, classifiers, and the threshold in 200ths.
void Scan(benchmark::State& state) {
    const auto images = static_cast<std::size_t>(state.range(0)),
               classifiers = static_cast<std::size_t>(state.range(1));
    const Pool& pool = pool_of(images, classifiers);
    const ClassDistances distances(imagenet_hierarchy(), imagenet_classes(),
                                   DistanceReading::tree_path);
    ScanInput input;
    std::vector<ScanPair> pairs;
    for (std::uint32_t i = 0; i < classifiers; ++i) {
        input.classifiers.push_back({pool.labels[i], pool.confidences[i]});
        input.thresholds.push_back(static_cast<std::uint8_t>(state.range(2)));
        for (std::uint32_t j = i + 1; j < classifiers; ++j) pairs.push_back({i, j});
    }
    std::size_t kept = 0;
    std::uint64_t offered = 0;
    for (auto _ : state) {
        std::vector<PairSketch> sketches(pairs.size(), PairSketch(distances, {}));
        scan(input, pairs, sketches, 1);
        kept = 0;
        offered = 0;
        for (const PairSketch& sketch : sketches) {
            kept = std::max(kept, sketch.kept());
            offered += sketch.offered();
        }
        benchmark::DoNotOptimize(kept);
    }
    const double all = static_cast<double>(images) * static_cast<double>(pairs.size());
    state.counters["ns_per_image_pair"] = benchmark::Counter(
        all * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    state.counters["candidates"] = static_cast<double>(offered) / all;
    state.counters["most_kept"] = static_cast<double>(kept);
}
BENCHMARK(Scan)
    ->Args({1'000'000, 11, 160})
    ->Args({10'000'000, 11, 160})
    ->Args({10'000'000, 11, 198})
    ->Args({1'000'000, 11, 0})
    ->Unit(benchmark::kMillisecond);

/// 30 of 500 images a pair and 2,000 draws. The argument is the number of classifiers.
void PosteriorOfAllPairs(benchmark::State& state) {
    const auto m = static_cast<std::uint32_t>(state.range(0));
    AnsweredPlaces answered;
    RandomStream random(1, "bench pairs");
    constexpr std::uint64_t images = 500, k = 30;
    for (std::uint32_t i = 0; i < m; ++i) {
        for (std::uint32_t j = i + 1; j < m; ++j) {
            const auto pair = static_cast<std::uint32_t>(answered.pairs.size());
            answered.pairs.push_back({i, j, k});
            const std::uint64_t begin = random.below(images);
            for (std::uint64_t n = 0; n < k; ++n)
                answered.places.push_back({.pair = pair,
                                           .image = (begin + 7 * n) % images,
                                           .first = random.below(3) > 0,
                                           .second = random.below(5) > 2});
        }
    }
    for (auto _ : state) benchmark::DoNotOptimize(posterior_of(m, answered).error);
}
BENCHMARK(PosteriorOfAllPairs)->Arg(11)->Arg(140)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::mad
