// Metrics that are measured where none is named, beside those that the table of metrics says.
#pragma once

#include <array>
#include <string_view>

namespace assay {

/// What people ask of two classes first, beside accuracy: of class 1, the positive class.
inline constexpr std::array<std::string_view, 2> of_positive_class = {"auroc:average=binary",
                                                                      "f1:average=binary"};

}  // namespace assay
