#include "metric/drawn.h"

#include <algorithm>

namespace assay {

std::optional<std::size_t> DrawnMetrics::add(const MetricRequest& request) {
    const auto found = std::ranges::find(requests_, request);
    if (found != requests_.end()) return static_cast<std::size_t>(found - requests_.begin());
    if (!request.facts->calibrated_null) return std::nullopt;
    std::unique_ptr<DrawnMetric> metric = pass_of(request).drawn(request, run_, *this);
    if (!metric) return std::nullopt;
    requests_.push_back(request);
    list_.push_back(std::move(metric));
    return list_.size() - 1;
}

}  // namespace assay
