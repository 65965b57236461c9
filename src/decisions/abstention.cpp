#include "decisions/abstention.h"

#include <algorithm>
#include <functional>

#include "core/statistics.h"

namespace assay::decisions {

std::optional<double> safe_threshold(std::vector<JudgedImage> images, double max_error,
                                     double level) {
    constexpr std::size_t steps = 20;
    std::ranges::sort(images, std::greater<>(), &JudgedImage::confidence);
    // Two-sided at this level, the upper end alone is wrong with (1 - level) / steps.
    const double each = 1 - 2 * (1 - level) / static_cast<double>(steps);
    std::optional<double> found;
    std::uint64_t errors = 0;
    std::size_t above = 0;
    for (std::size_t step = 1; step <= steps; ++step) {
        const std::size_t place = images.size() * step / steps;
        if (place == 0) continue;
        const double threshold = step == steps ? -1 : images[place - 1].confidence;
        for (; above < images.size() && images[above].confidence > threshold; ++above)
            errors += images[above].correct ? 0 : 1;
        if (above == 0) continue;
        if (clopper_pearson(errors, above, each).high <= max_error) found = threshold;
    }
    return found;
}

}  // namespace assay::decisions
