#include "store/full_rows.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/refuse.h"
#include "core/text.h"

namespace assay::store {

void require_full(const PredictionStore& store) {
    const StoreSpec& spec = store.spec();
    if (spec.storage != StorageFormat::full_f32 && spec.storage != StorageFormat::full_f16)
        refuse(
            fmt::format("{}: it is stored as {}, but the scores of all classes are needed; predict "
                        "again with --storage full",
                        store.folder().string(), name_of(spec.storage)));
    if (!store.complete())
        refuse(fmt::format(
            "{}: it is not complete: {} are missing; rerun the command that writes it",
            store.folder().string(), how_many(store.missing_shards(), "shard", "shards")));
}

void read_probabilities(const RowReader& reader, std::uint64_t row, std::vector<float>& buffer,
                        std::span<double> out) {
    const std::span<const float> scores = reader.scores(row, buffer);
    double sum = 0;
    if (reader.store().spec().kind == ScoreKind::probabilities) {
        for (std::size_t c = 0; c < out.size(); ++c) sum += out[c] = static_cast<double>(scores[c]);
        if (std::abs(sum - 1) > 0.02)
            refuse(fmt::format(
                "{}: the probabilities of `{}` sum to {:.4g}, but a sum of 1 is needed (0.98 to "
                "1.02). Import the scores of a softmax: assay import --help",
                reader.store().folder().string(),
                reader.store().dataset().ids[static_cast<std::size_t>(row)], sum));
        return;
    }
    const auto most = static_cast<double>(*std::ranges::max_element(scores));
    for (std::size_t c = 0; c < out.size(); ++c)
        sum += out[c] = std::exp(static_cast<double>(scores[c]) - most);
    for (double& p : out) p /= sum;
}

}  // namespace assay::store
