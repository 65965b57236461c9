#include "evaluate/statements/lowest.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace assay::statements {

double bias_of_lowest(std::span<const double> values, std::span<const double> errors,
                      std::uint64_t seed) {
    constexpr std::size_t draws = 1000;
    if (values.size() < 2) return 0;
    const double mean = mean_of(values);
    const std::vector<double> around = centred(values);
    const double seen = sum_of_products(around, around) / static_cast<double>(values.size() - 1);
    const double noise = sum_of_products(errors, errors) / static_cast<double>(values.size());
    const double kept = seen > noise ? std::sqrt((seen - noise) / seen) : 0;
    Factor factor(values.size());
    factor.own.assign(errors.begin(), errors.end());
    const Matrix drawn = draws_of(factor, draws, seed);
    double sum = 0, lowest = infinity;
    for (const double x : around) lowest = std::min(lowest, mean + kept * x);
    for (std::size_t d = 0; d < drawn.rows; ++d) {
        double least = infinity;
        for (std::size_t g = 0; g < values.size(); ++g)
            least = std::min(least, mean + kept * around[g] + drawn.row(d)[g]);
        sum += least;
    }
    return sum / static_cast<double>(draws) - lowest;
}

}  // namespace assay::statements
