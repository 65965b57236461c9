// The devices that computed the stores of a comparison: another device, library or precision
// changes scores by itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay {

struct ComputedStore {
    std::string name;
    /// The distinct entries of a store's shards, several if they come from several machines.
    std::vector<ComputedOn> ways;
};

/// If the stores were not all computed in the same way, returns how each was computed, and how much
/// this alone changes scores. For example: "cnn: cpu, LibTorch 1.13.1; net: cuda (NVIDIA H100),
/// LibTorch 2.6.0, fp16". Returns "" otherwise, or without records.
std::string computed_note(std::span<const ComputedStore> stores);

}  // namespace assay
