// The images of a batch on which no earlier attack, or run of an attack, succeeded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "robustness/query.h"

namespace assay::attack {

struct Rest {
    std::vector<std::size_t> places;  ///< in the batch, in order
    std::vector<float> images;
    std::vector<std::uint32_t> labels;
    std::vector<std::uint64_t> items;

    Rest(const AttackBatch& batch, std::span<const std::uint8_t> fooled) {
        for (std::size_t i = 0; i < batch.labels.size(); ++i) {
            if (fooled[i] != 0) continue;
            places.push_back(i);
            const auto image = image_of(batch, i);
            images.insert(images.end(), image.begin(), image.end());
            labels.push_back(batch.labels[i]);
            items.push_back(batch.items[i]);
        }
    }
    AttackBatch batch() const { return {images, labels, items}; }

    /// Adds the counts and flags of `part`, the result of an attack on these images, to the result
    /// of the batch.
    void add_to(AttackResult& sum, const AttackResult& part) const {
        sum.forward += part.forward;
        sum.backward += part.backward;
        for (std::size_t k = 0; k < places.size(); ++k) {
            sum.zero_gradient[places[k]] |= part.zero_gradient[k];
            sum.not_finite[places[k]] |= part.not_finite[k];
            sum.unusable[places[k]] &= part.unusable[k];
        }
    }
};

}  // namespace assay::attack
