#include <algorithm>
#include <map>
#include <utility>

#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "evaluate/truth.h"
#include "report/items.h"

namespace assay {

std::vector<std::uint64_t> confusion_examples(const PredictionStore& store,
                                              const ScoreOptions& options,
                                              const ScoreReport& report, std::size_t confusions,
                                              std::size_t examples, std::size_t most, int threads) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> places;
    for (const Confusion& c : report.confusions) {
        if (places.size() == confusions) break;
        places.emplace(std::pair(c.truth, c.predicted), places.size());
    }
    if (places.empty() || examples == 0) return {};
    const Truth truth = truth_for(store, options);
    const RowReader reader(store, options.map);
    // First examples of each block by confusion, then of all blocks in their order.
    constexpr std::uint64_t block_rows = 4096;
    const std::uint64_t blocks = (store.rows() + block_rows - 1) / block_rows;
    using Found = std::vector<std::vector<std::uint64_t>>;
    std::vector<Found> found(blocks);
    parallel_blocks(blocks, resolve_threads(threads), [&](std::size_t block) {
        throw_if_stopped();
        Found& own = found[block];
        own.resize(places.size());
        const std::uint64_t end = std::min(store.rows(), (block + 1) * block_rows);
        for (std::uint64_t row = block * block_rows; row < end; ++row) {
            const std::int32_t target = truth.targets[row];
            RowPrediction p;
            if (target < 0 || reader.read(row, target, truth.labels[row], p,
                                          RowReader::Detail::ranking) != RowStatus::ok)
                continue;
            const auto at = places.find({target, p.predicted});
            if (at != places.end() && own[at->second].size() < examples)
                own[at->second].push_back(row);
        }
    });
    // Every confusion gets one example before any gets a second.
    std::vector<std::vector<std::uint64_t>> by_confusion(places.size());
    for (const Found& own : found)
        for (std::size_t i = 0; i < own.size(); ++i)
            for (const std::uint64_t row : own[i])
                if (by_confusion[i].size() < examples) by_confusion[i].push_back(row);
    std::vector<std::uint64_t> rows;
    for (std::size_t turn = 0; turn < examples; ++turn)
        for (const auto& own : by_confusion)
            if (turn < own.size() && rows.size() < most) rows.push_back(own[turn]);
    return rows;
}

}  // namespace assay
