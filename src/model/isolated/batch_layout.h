// The layout of a batch in the buffer that both processes share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/model/loss.h"
#include "model/isolated/wire.h"

namespace assay::isolated {

/// The parts in sequence, measured in floats: input and scores. A batch with a loss also has the
/// gradient, the losses, the labels and the targets. A loss is a double and takes two floats. A
/// label or a target is a number and takes one float. The sizes are those of a Batch, which are
/// bounded, so that no sum overflows.
class BatchLayout {
public:
    explicit BatchLayout(const Batch& batch) : batch_(batch) {}

    std::size_t floats() const { return targets_at() + (with_targets() ? batch_.images : 0); }

    std::span<float> input(std::span<float> all) const { return all.first(batch_.input); }
    std::span<float> scores(std::span<float> all) const {
        return all.subspan(batch_.input, batch_.output);
    }
    std::span<float> gradient(std::span<float> all) const {
        return all.subspan(gradient_at(), batch_.input);
    }
    std::span<float> losses(std::span<float> all) const {
        return all.subspan(losses_at(), 2 * batch_.images);
    }
    std::span<float> labels(std::span<float> all) const {
        return all.subspan(labels_at(), batch_.images);
    }
    std::span<float> targets(std::span<float> all) const {
        return all.subspan(targets_at(), with_targets() ? batch_.images : 0);
    }

private:
    bool with_targets() const { return batch_.loss && has_target(*batch_.loss); }
    std::size_t gradient_at() const { return batch_.input + batch_.output; }
    std::size_t losses_at() const { return gradient_at() + (batch_.loss ? batch_.input : 0); }
    std::size_t labels_at() const { return losses_at() + (batch_.loss ? 2 * batch_.images : 0); }
    std::size_t targets_at() const { return labels_at() + (batch_.loss ? batch_.images : 0); }

    Batch batch_;
};

}  // namespace assay::isolated
