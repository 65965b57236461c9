#include "evaluate/calibrated_null.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "core/parallel.h"
#include "core/random.h"

namespace assay {
namespace {

std::size_t bin_of(const ClassEdges& edges, float p) {
    return static_cast<std::size_t>(std::upper_bound(edges.bounds.begin(), edges.bounds.end(), p) -
                                    edges.bounds.begin());
}

// Counts of one metric in all draws; integers, so that the order of threads and ranks does not
// matter.
struct Tally {
    const NullMetric& metric;
    std::size_t size;  // of one draw
    std::vector<std::int64_t> counts;
    std::mutex mutex;

    Tally(const NullMetric& m, std::uint32_t draws)
        : metric(m),
          size(!m.parts.empty()    ? 0
               : m.sums == nullptr ? m.accumulator->slots()
               : m.top_label       ? stride()
                                   : m.sums->edges.size() * stride()),
          counts(size * draws) {}
    std::size_t stride() const {
        for (const ClassEdges& edges : metric.sums->edges) {
            if (!edges.members.empty()) return edges.members.size();
        }
        return 1;
    }

    void hit(std::uint32_t draw, std::size_t cls, float p) {
        const ClassEdges& edges = metric.sums->edges[cls];
        if (!(p > 0) || edges.bounds.empty()) return;
        std::atomic_ref<std::int64_t>(counts[draw * size + cls * stride() + bin_of(edges, p)])
            .fetch_add(1, std::memory_order_relaxed);
    }

    double value(std::uint32_t draw, const Shape& shape) const {
        const std::int64_t* const at = counts.data() + draw * size;
        if (metric.sums == nullptr) {
            return metric.request.facts->value({shape, metric.request.parameters, 0.95}, {at, size})
                .value.value_or(0);
        }
        const bool equal = metric.request.parameters.at("variant") == "class_wise_equal";
        const std::size_t classes = metric.top_label ? 1 : metric.sums->edges.size(),
                          width = stride();
        double sum = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            const ClassEdges& edges = metric.sums->edges[c];
            for (std::size_t b = 0; b < edges.members.size(); ++b) {
                const double gap =
                    std::abs(edges.confidence[b] - static_cast<double>(at[c * width + b]));
                if (edges.members[b] > 0) {
                    sum += equal ? gap / edges.members[b] / static_cast<double>(width - 1)
                                 : gap / static_cast<double>(edges.m);
                }
            }
        }
        return sum / static_cast<double>(classes);
    }
};

}  // namespace

std::vector<std::vector<double>> calibrated_null(const ScoredRows& rows,
                                                 std::span<const NullMetric> metrics,
                                                 std::uint32_t draws, std::uint64_t seed,
                                                 int threads, Comm& comm) {
    std::vector<std::unique_ptr<Tally>> tallies;
    for (const NullMetric& metric : metrics)
        tallies.push_back(std::make_unique<Tally>(metric, draws));
    const std::uint64_t key = RandomStream(seed, "calibrated null").next_u64();
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const std::uint32_t classes = rows.classes();
    const auto unit_of = [&](int rank) {
        return rows.units() * static_cast<std::size_t>(rank) /
               static_cast<std::size_t>(comm.size());
    };
    const std::size_t first = unit_of(comm.rank()), last = unit_of(comm.rank() + 1);

    agree(comm, [&] {
        parallel_blocks(last - first, threads, [&](std::size_t block) {
            throw_if_stopped();
            std::vector<float> row(classes);
            std::vector<double> cumulative(classes);
            std::vector<std::vector<RowFacts>> facts(draws);  // of accumulators, a list a draw
            for (std::uint64_t item = rows.first_of(first + block);
                 item < rows.first_of(first + block + 1); ++item) {
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
                    for (const auto& tally : tallies) {
                        if (tally->metric.sums == nullptr) continue;
                        if (!tally->metric.top_label) {
                            tally->hit(r, drawn, row[drawn]);
                        } else if (correct) {
                            tally->hit(r, 0, record.confidence);
                        }
                    }
                    RowFacts fact;
                    fact.predicted = record.predicted;
                    fact.target = static_cast<std::int32_t>(drawn);
                    fact.confidence = record.confidence;
                    facts[r].push_back(fact);
                }
            }
            for (const auto& tally : tallies) {
                if (tally->metric.accumulator == nullptr) continue;
                const std::lock_guard lock(tally->mutex);
                for (std::uint32_t r = 0; r < draws; ++r) {
                    tally->metric.accumulator->update(
                        std::span(tally->counts).subspan(r * tally->size, tally->size), facts[r]);
                }
            }
        });
    });
    std::vector<std::vector<double>> values;
    for (const auto& tally : tallies) {
        const std::vector<std::size_t>& parts = tally->metric.parts;
        comm.all_reduce(tally->counts);
        std::vector<double> list;
        for (std::uint32_t r = 0; r < draws; ++r) {
            if (parts.empty()) {
                list.push_back(tally->value(r, rows.shape()));
                continue;
            }
            double product = 1;
            for (const std::size_t part : parts) product *= values[part][r];
            list.push_back(std::pow(product, 1 / static_cast<double>(parts.size())));
        }
        values.push_back(std::move(list));
    }
    return values;
}

}  // namespace assay
