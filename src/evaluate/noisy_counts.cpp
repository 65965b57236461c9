#include "evaluate/noisy_counts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/random.h"
#include "data/name_hash.h"
#include "evaluate/attack_batch.h"
#include "store/reduce.h"

namespace assay::attack {

NoisyCounts::NoisyCounts(std::shared_ptr<AttackedModel> model, const Dataset& dataset,
                         Copies copies)
    : model_(std::move(model)), dataset_(dataset), copies_(std::move(copies)) {}

void NoisyCounts::operator()(const ImageBatch& batch, std::span<float> out) const {
    std::vector<float> planes;
    const ImageBatch seen = attack::as_attacked(batch, model_->shape(), planes);
    const std::size_t size = model_->shape().size(), classes = model_->classes();
    std::ranges::fill(out, 0.0F);
    for (std::size_t i = 0; i < batch.n; ++i) {
        if (batch.states[i] != RowState::ok) continue;
        // Uses the id, so that a sample of a data set has the same noise as the whole.
        const auto row = static_cast<std::size_t>(batch.first_row) + i;
        count(seen.input.subspan(i * size, size), name_hash(dataset_.ids[row]).first,
              out.subspan(i * classes, classes));
    }
}

void NoisyCounts::count(std::span<const float> image, std::uint64_t item,
                        std::span<float> out) const {
    const std::size_t classes = model_->classes();
    const std::size_t most = std::min(copies_.together, copies_.count);
    const auto sigma = static_cast<float>(copies_.sigma);
    std::vector<float> noisy(most * image.size()), scores(most * classes);
    std::vector<std::uint32_t> hits(classes, 0);
    RandomStream random(copies_.seed, copies_.purpose, item);
    for (std::size_t done = 0; done < copies_.count; done += most) {
        throw_if_stopped();
        const std::size_t n = std::min<std::size_t>(most, copies_.count - done);
        const std::span<float> input = std::span(noisy).first(n * image.size());
        const std::span<float> rows = std::span(scores).first(n * classes);
        random.fill_normal(input);
        for (std::size_t k = 0; k < n; ++k) {
            float* const copy = input.data() + k * image.size();
            for (std::size_t e = 0; e < image.size(); ++e) copy[e] = image[e] + sigma * copy[e];
        }
        model_->scores(input, n, rows);
        for (std::size_t k = 0; k < n; ++k) {
            const auto row = rows.subspan(k * classes, classes);
            if (!store::is_sound(row, ScoreKind::logits, StorageFormat::full_f32)) continue;
            ++hits[static_cast<std::size_t>(std::ranges::max_element(row) - row.begin())];
        }
    }
    for (std::size_t c = 0; c < classes; ++c)
        out[c] = static_cast<float>(static_cast<double>(hits[c]) / copies_.count);
}

}  // namespace assay::attack
