// The state per class: shared by balanced accuracy, class balance, precision and its kin, and the
// table of classes.
#pragma once

#include <cstddef>

#include "metric/real_sum.h"

namespace assay {

enum : std::size_t {
    class_items,
    class_hits,
    class_predicted,   // items of any class for which this one is predicted
    class_unknown,     // target's probability not kept
    class_confidence,  // real sums: of the top confidence, ...
    class_target = class_confidence + real_slots,
    class_target_squares = class_target + real_slots,
    class_slots = class_target_squares + real_slots
};

}  // namespace assay
