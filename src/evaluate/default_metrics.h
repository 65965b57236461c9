// Metrics that are measured if none is named, in addition to the defaults in the table of metrics.
#pragma once

#include <array>
#include <string_view>

namespace assay {

/// The usual metrics for two classes, in addition to accuracy: they are for class 1, the positive
/// class.
inline constexpr std::array<std::string_view, 2> of_positive_class = {"auroc:average=binary",
                                                                      "f1:average=binary"};

}  // namespace assay
