#include "evaluate/calibrated_null.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include "collective/rank_part.h"
#include "core/parallel.h"
#include "core/random.h"

namespace assay {
namespace {

// Counts of one metric in all draws. They are integers, so that the order of threads and ranks does
// not matter.
struct Tally {
    const DrawnMetric& metric;
    const std::size_t size;  // size of one draw
    std::vector<std::int64_t> counts;
    std::mutex mutex;

    Tally(const DrawnMetric& m, std::uint32_t draws)
        : metric(m), size(m.slots()), counts(size * draws) {}
    std::span<std::int64_t> of(std::uint32_t draw) {
        return std::span(counts).subspan(draw * size, size);
    }
};

}  // namespace

std::vector<std::vector<double>> calibrated_null(const ScoredRows& rows,
                                                 const DrawnMetrics& metrics, std::uint32_t draws,
                                                 std::uint64_t seed, int threads, Comm& comm) {
    std::vector<std::unique_ptr<Tally>> tallies;
    for (std::size_t m = 0; m < metrics.size(); ++m)
        tallies.push_back(std::make_unique<Tally>(metrics[m], draws));
    const std::uint64_t key = RandomStream(seed, "calibrated null").next_u64();
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const std::uint32_t classes = rows.classes();
    const RankPart units = part_of_rank(rows.units(), comm);

    agree(comm, [&] {
        parallel_blocks(units.size(), threads, [&](std::size_t block) {
            throw_if_stopped();
            std::vector<float> row(classes);
            std::vector<double> cumulative(classes);
            std::vector<std::vector<RowFacts>> facts(draws);  // for accumulators, one list per draw
            for (std::uint64_t item = rows.first_of(units.begin + block);
                 item < rows.first_of(units.begin + block + 1); ++item) {
                if (rows.target(item) < 0) continue;
                rows.read(item, 1, 0, classes, row.data());
                double sum = 0;
                for (std::size_t c = 0; c < classes; ++c) cumulative[c] = sum += row[c];
                const ItemRecord& record = rows.records()[static_cast<std::size_t>(item)];
                std::array<std::uint32_t, 4> random{};
                for (std::uint32_t r = 0; r < draws; ++r) {
                    if (r % 4 == 0)
                        random =
                            philox4x32({low(item), high(item), r / 4, 0}, {low(key), high(key)});
                    const double u = (static_cast<double>(random[r % 4]) + 0.5) * 0x1p-32 * sum;
                    const auto at = std::upper_bound(cumulative.begin(), cumulative.end(), u) -
                                    cumulative.begin();
                    const auto drawn = std::min<std::size_t>(static_cast<std::size_t>(at),
                                                             classes - std::size_t{1});
                    const bool correct = static_cast<std::int32_t>(drawn) == record.predicted;
                    const DrawnItem one{drawn, row[drawn], record.confidence, correct};
                    for (const auto& tally : tallies) tally->metric.add_item(tally->of(r), one);
                    RowFacts fact;
                    fact.predicted = record.predicted;
                    fact.target = static_cast<std::int32_t>(drawn);
                    fact.confidence = record.confidence;
                    facts[r].push_back(fact);
                }
            }
            for (const auto& tally : tallies) {
                const std::lock_guard lock(tally->mutex);
                for (std::uint32_t r = 0; r < draws; ++r)
                    tally->metric.add_rows(tally->of(r), facts[r]);
            }
        });
    });
    for (const auto& tally : tallies) comm.all_reduce(tally->counts);
    std::vector<std::vector<double>> values(tallies.size());
    for (std::uint32_t r = 0; r < draws; ++r) {
        std::vector<double> earlier;
        for (std::size_t m = 0; m < tallies.size(); ++m) {
            earlier.push_back(tallies[m]->metric.value(tallies[m]->of(r), earlier));
            values[m].push_back(earlier.back());
        }
    }
    return values;
}

}  // namespace assay
