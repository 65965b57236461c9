// The state per class, shared by balanced accuracy, class balance, precision and related metrics,
// and the table of classes.
#pragma once

#include <cstddef>

#include "metric/real_sum.h"

namespace assay {

enum : std::size_t {
    class_items,
    class_hits,
    class_predicted,   // items of any class that are predicted as this class
    class_unknown,     // items whose target's probability is not stored
    class_confidence,  // real sums: the top confidence, ...
    class_target = class_confidence + real_slots,
    class_target_squares = class_target + real_slots,
    class_slots = class_target_squares + real_slots
};

}  // namespace assay
