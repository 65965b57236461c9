// What computed the stores that are compared: another device, library or precision moves scores by
// itself.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/store/prediction_store.h"

namespace assay {

struct ComputedStore {
    std::string name;
    /// What its shards say, each once; several where they come from several machines.
    std::vector<ComputedOn> ways;
};

/// Where not all were computed alike: "cnn: cpu, LibTorch 1.13.1; net: cuda (NVIDIA H100), LibTorch
/// 2.6.0, fp16", and by how much that alone moves scores; "": they were, or nothing tells.
std::string computed_note(std::span<const ComputedStore> stores);

}  // namespace assay
