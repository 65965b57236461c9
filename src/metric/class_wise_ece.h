// Class-wise calibration error in bins of equal width (definition `classwise_ece`). For each class,
// over all items with a label, |sum(p) - sum(y)| / n per bin of p is summed over the bins. The
// result is the average over the classes. Kull et al. 2019, section 2; the static calibration error
// of Nixon et al. 2019.
//
// One pass over the rows. Sums are exact in units of 2^-40, as in class_wise.h. Memory: 17 KiB per
// class with 15 bins, for any number of items.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assay/metric/metric.h"
#include "metric/class_wise.h"

namespace assay {

struct ClassWiseEceOptions {
    int bins = 15;
    std::string_view edges = "left_closed";  ///< edges as for `ece`
    int threads = 1;
    std::uint32_t first_class = 0, last_class = 0xFFFFFFFFU;  ///< this rank's part [first, last)
};

/// Real sums over the classes [first_class, last_class), before division by their number; parts
/// from several ranks can be added in any order.
struct ClassWiseEceSums {
    std::vector<std::int64_t> error;    ///< the error
    std::vector<std::int64_t> noise;    ///< E sum |sum(p) - sum(y)| / n if the mean of sum(y) were
                                        ///< sum(p)
    std::vector<std::int64_t> without;  ///< group_count times the error without one group's items
};
/// `bins` is 1 to 100.
ClassWiseEceSums class_wise_ece_sums(const ProbabilityRows& rows,
                                     const ClassWiseEceOptions& options);

/// The value with its values without each group, and the interval of add_noisy_interval()
/// (families.h). `group_sizes` counts the items with a label.
ResampledEstimate class_wise_ece_estimate(const ClassWiseEceSums& sums, std::uint32_t classes,
                                          std::span<const std::uint64_t> group_sizes, double level);

}  // namespace assay
