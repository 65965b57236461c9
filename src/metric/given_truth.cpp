#include "assay/metric/given_truth.h"

#include "assay/metric/metric.h"

namespace assay {

unsigned GivenTruth::needs() const {
    unsigned there = 0;
    if (soft) there = there | Needs::soft_labels;
    if (tree) there = there | Needs::hierarchy;
    if (!grades.empty()) there = there | Needs::class_order;
    return there;
}

}  // namespace assay
