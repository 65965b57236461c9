#include "store/outcomes.h"

#include <algorithm>

#include "assay/store/row_reader.h"
#include "core/parallel.h"

namespace assay {

std::vector<RowOutcome> outcomes_of(const PredictionStore& store, int threads) {
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
                if (reader.read(i, label, valid, row, RowReader::Detail::ranking) == RowStatus::ok)
                    outcomes[i] =
                        row.predicted == label ? RowOutcome::correct : RowOutcome::incorrect;
            }
        });
    return outcomes;
}

std::uint64_t count_of(std::span<const RowOutcome> outcomes, RowOutcome wanted) {
    return static_cast<std::uint64_t>(std::count(outcomes.begin(), outcomes.end(), wanted));
}

}  // namespace assay
