#include "quality/role_predictions.h"

#include <algorithm>

#include "assay/store/row_reader.h"
#include "core/parallel.h"
#include "store/same_data.h"

namespace assay::quality {

Answers read_answers(PredictionStore store, std::optional<ClassMap> map, int threads) {
    Answers answers{.store = std::move(store), .map = std::move(map)};
    answers.data = store::dataset_id_of(answers.store);
    const RowReader reader(answers.store, answers.map);
    ScoreOptions options;
    options.map = answers.map;
    answers.truth = truth_for(answers.store, options);
    answers.predicted.assign(static_cast<std::size_t>(answers.store.rows()), Answers::no_score);
    constexpr std::size_t block = 1024;
    const std::size_t rows = answers.predicted.size();
    parallel_blocks((rows + block - 1) / block, resolve_threads(threads), [&](std::size_t b) {
        throw_if_stopped();
        RowPrediction row;
        for (std::size_t i = b * block; i < std::min(rows, (b + 1) * block); ++i) {
            if (reader.read(i, -1, {}, row, RowReader::Detail::ranking) == RowStatus::ok)
                answers.predicted[i] = row.predicted;
        }
    });
    for (std::size_t i = 0; i < rows; ++i) {
        if (answers.counts(i)) {
            ++answers.n;
            answers.hits += answers.correct(i) ? 1 : 0;
        } else if (answers.truth.targets[i] >= 0) {
            ++answers.unscored;
        }
    }
    return answers;
}

}  // namespace assay::quality
