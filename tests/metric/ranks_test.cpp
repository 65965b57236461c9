// For every metric of the table, 1, 2, 3 or 7 ranks fill and reduce a state that is bit-identical
// to that of one rank. The results are bit-identical, too. One rank has no rows.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "assay/collective/comm.h"
#include "assay/metric/metric.h"
#include "core/random.h"

namespace assay {
namespace {

constexpr std::uint32_t classes = 5;

/// Label sets of 1 to 5 members in turn. The first one is the target of single-label metrics, too.
std::vector<RowFacts> rows_with_ranks(std::size_t n, std::uint64_t seed) {
    RandomStream random(seed, "rows");
    std::vector<RowFacts> rows(n);
    for (std::size_t i = 0; i < n; ++i) {
        RowFacts& row = rows[i];
        row.item = i;
        row.group = static_cast<std::uint16_t>(random.below(group_count));
        row.target = static_cast<std::int32_t>(random.below(classes));
        row.rank = static_cast<std::int32_t>(random.below(classes));
        row.predicted = row.rank == 0 ? row.target : (row.target + 1) % 5;
        row.valid = static_cast<std::uint32_t>(1 + i % classes);
        row.hits = static_cast<std::int32_t>(random.below(row.valid + 1));
        row.in_set = row.rank == 0;
        row.target_known = true;
        row.confidence = static_cast<float>(0.2 + 0.8 * random.uniform());
        row.target_probability =
            row.rank == 0 ? row.confidence : static_cast<float>(0.19 * random.uniform() + 0.001);
        row.log_target = std::log(static_cast<double>(row.target_probability));
        row.square_sum = row.confidence * row.confidence;
        row.shape_cue = row.target;
        row.texture_cue = (row.target + 1) % 5;
    }
    return rows;
}

/// The rows of one of `ranks` ranks. Rank 1 has none, and a single rank has all.
std::span<const RowFacts> part_of(std::span<const RowFacts> rows, int rank, int ranks) {
    if (ranks == 1) return rows;
    if (rank == 1) return {};
    const auto shares = static_cast<std::size_t>(ranks - 1);
    const auto place = static_cast<std::size_t>(rank == 0 ? 0 : rank - 1);
    const std::size_t first = rows.size() * place / shares,
                      last = rows.size() * (place + 1) / shares;
    return rows.subspan(first, last - first);
}

bool same_bits(const ResampledEstimate& a, const ResampledEstimate& b) {
    return a.value == b.value && a.undefined == b.undefined && a.n == b.n &&
           a.interval == b.interval && a.standard_error == b.standard_error && a.note == b.note &&
           a.without == b.without && a.replicates == b.replicates;
}

/// Every request for which the table has a row, with its defaults.
std::vector<MetricRequest> all_requests() {
    std::vector<MetricRequest> requests;
    for (const MetricFacts& facts : metric_table()) {
        if (facts.accumulate != nullptr) requests.push_back(parse_metric(facts.name));
    }
    return expand_labels_per_image(requests, std::vector<std::uint64_t>(classes + 1, 1));
}

TEST(Ranks, TheStateOfEveryMetricIsThatOfOneRank) {
    const auto requests = all_requests();
    ASSERT_GE(requests.size(), metric_table().size() / 2);
    for (const std::size_t n : {0U, 1U, 2U, 1000U}) {
        const auto rows = rows_with_ranks(n, 3);
        std::vector<std::uint64_t> sizes(group_count);
        for (const RowFacts& row : rows) ++sizes[row.group];
        for (const MetricRequest& request : requests) {
            MetricContext context;
            context.shape.classes = classes;
            context.shape.most_labels = classes;
            context.shape.no_cues = "";
            context.parameters = request.parameters;
            const auto accumulator = request.facts->accumulate(context);
            std::vector<std::int64_t> empty(accumulator->slots() *
                                            (accumulator->grouped() ? group_count : 1));
            const auto estimated = [&](const std::vector<std::int64_t>& state) {
                return estimate(request, context.shape, *accumulator, state, sizes, {0.95, 50, 3});
            };
            auto whole = empty;
            accumulator->update(whole, rows);
            const ResampledEstimate expected = estimated(whole);
            for (const int ranks : {1, 2, 3, 7}) {
                run_thread_ranks(ranks, [&](Comm& comm) {
                    auto state = empty;
                    accumulator->update(state, part_of(rows, comm.rank(), ranks));
                    comm.all_reduce(state);
                    if (state != whole || !same_bits(estimated(state), expected)) {
                        throw std::runtime_error(request.text() + " differs on rank " +
                                                 std::to_string(comm.rank()) + " of " +
                                                 std::to_string(ranks));
                    }
                });
            }
        }
    }
}

}  // namespace
}  // namespace assay
