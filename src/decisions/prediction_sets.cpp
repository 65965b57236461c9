#include "decisions/prediction_sets.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace assay::decisions {

ImageSet set_of(const SortedRow& row, std::span<const std::int32_t> valid, const SetRule& rule,
                double draw, const Thresholds& thresholds, bool listed) {
    ImageSet out;
    for (std::size_t rank = 0; rank < row.classes(); ++rank) {
        const std::int32_t cls = row.cls(rank);
        if (row.score(rank, rule, draw) > thresholds.of(cls)) {
            // Scores ascend with the rank, so no later class is in the set with one threshold.
            if (thresholds.of_class.empty()) break;
            continue;
        }
        ++out.size;
        out.covered = out.covered || std::ranges::binary_search(valid, cls);
        if (listed) out.classes.push_back(cls);
    }
    return out;
}

Estimate mean_size(const std::vector<ImageSet>& sets, std::uint32_t classes, double level) {
    Estimate out;
    out.n = sets.size();
    double sum = 0, squares = 0;
    for (const ImageSet& one : sets) sum += one.size;
    const auto n = static_cast<double>(sets.size());
    const double mean = sum / n;
    for (const ImageSet& one : sets) squares += (one.size - mean) * (one.size - mean);
    out.value = mean;
    if (squares <= 0 || sets.size() < 2) {
        out.note = "no interval: all sets have the same size";
        return out;
    }
    out.standard_error = std::sqrt(squares / (n - 1) / n);
    out.interval = symmetric_interval(mean, *out.standard_error, level, "student.t", n - 1);
    out.interval->low = std::max(0.0, out.interval->low);
    out.interval->high = std::min(static_cast<double>(classes), out.interval->high);
    return out;
}

}  // namespace assay::decisions
