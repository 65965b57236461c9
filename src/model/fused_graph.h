// The mark in a model's facts that several steps of its graph are computed as one. The mark follows
// the memory order (ModelFacts::memory_format), which a store records.
#pragma once

#include <string_view>

namespace assay {

inline constexpr std::string_view fused_graph_mark = ", fused";

}  // namespace assay
