// How a model's facts tell that several steps of its graph are computed as one: behind the order in
// memory (ModelFacts::memory_format), which a store records.
#pragma once

#include <string_view>

namespace assay {

inline constexpr std::string_view fused_graph_mark = ", fused";

}  // namespace assay
