#include "store/outcomes.h"

#include <algorithm>

#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "store/reduce.h"

namespace assay {
namespace {

std::vector<RowOutcome> read_outcomes(const PredictionStore& store, RowOutcome not_finite,
                                      int threads) {
    const RowReader reader(store);
    const Dataset& dataset = store.dataset();
    std::vector<RowOutcome> outcomes(dataset.size(), RowOutcome::none);
    constexpr std::size_t block = 1024;
    parallel_blocks(
        (outcomes.size() + block - 1) / block, resolve_threads(threads), [&](std::size_t b) {
            throw_if_stopped();
            RowPrediction row;
            for (std::size_t i = b * block; i < std::min(outcomes.size(), (b + 1) * block); ++i) {
                const std::int32_t label = dataset.single_label(i);
                if (label < 0) continue;
                const std::span<const std::int32_t> valid(&label, 1);
                const RowStatus status =
                    reader.read(i, label, valid, row, RowReader::Detail::ranking);
                if (status == RowStatus::not_finite) outcomes[i] = not_finite;
                if (status == RowStatus::ok)
                    outcomes[i] =
                        row.predicted == label ? RowOutcome::correct : RowOutcome::incorrect;
            }
        });
    return outcomes;
}

}  // namespace

std::vector<RowOutcome> outcomes_of(const PredictionStore& store, int threads) {
    return read_outcomes(store, RowOutcome::none, threads);
}

std::vector<RowOutcome> attacked_outcomes_of(const PredictionStore& store, int threads) {
    std::vector<RowOutcome> outcomes = read_outcomes(store, RowOutcome::incorrect, threads);
    for (std::size_t s = 0; s < store.shards(); ++s) {
        if (!store.has(s)) continue;
        const PredictionStore::Shard shard = store.shard(s);
        for (const RowError& error : shard.errors()) {
            if (!store::is_of_scores(error)) outcomes[error.row] = RowOutcome::none;
        }
    }
    return outcomes;
}

std::uint64_t count_of(std::span<const RowOutcome> outcomes, RowOutcome wanted) {
    return static_cast<std::uint64_t>(std::count(outcomes.begin(), outcomes.end(), wanted));
}

}  // namespace assay
