#include "evaluate/ratio_errors.h"

#include <fmt/format.h>

#include <utility>

#include "core/statistics.h"

namespace assay {

double none_or_all_variance(std::uint64_t n, double level) {
    const double error = zero_hits_bound(n, level) / 2;
    return error * error;
}

Interval wilson_of_variance(double value, double variance, double quantile, double level,
                            std::string method) {
    return wilson_of_size(value, value * (1 - value) / variance, quantile, level,
                          std::move(method));
}

void take_zero_bound(Estimate& value, double bound, double level) {
    value.value = 0;
    value.standard_error = bound / 2;
    value.interval = Interval{0, bound, level, "zero hits"};
    value.note = fmt::format(
        "a factor is 0: at most {:.3g} with {:g} % confidence; half of that is used as the "
        "standard error",
        bound, 100 * level);
}

}  // namespace assay
