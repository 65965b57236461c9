#include "assay/data/soft_labels.h"

#include <algorithm>
#include <numeric>

namespace assay {

void SoftLabels::append(std::span<const double> weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t c = 0; c < weights.size() && sum > 0; ++c) {
        if (weights[c] <= 0) continue;
        entries_.push_back({static_cast<std::int32_t>(c), weights[c] / sum});
        classes_ = std::max(classes_, c + 1);
    }
    offsets_.push_back(entries_.size());
}

SoftLabels SoftLabels::of_items(std::span<const std::uint64_t> items) const {
    SoftLabels out;
    for (const std::uint64_t item : items) {
        if (item != no_item) {
            const auto own = (*this)[static_cast<std::size_t>(item)];
            out.entries_.insert(out.entries_.end(), own.begin(), own.end());
        }
        out.offsets_.push_back(out.entries_.size());
    }
    out.classes_ = classes_;
    return out;
}

double SoftLabels::probability(std::size_t item, std::int32_t cls) const {
    const auto own = (*this)[item];
    const auto found = std::ranges::lower_bound(own, cls, {}, &Entry::cls);
    return found != own.end() && found->cls == cls ? found->probability : 0;
}

double SoftLabels::greatest(std::size_t item) const {
    double most = 0;
    for (const Entry& entry : (*this)[item]) most = std::max(most, entry.probability);
    return most;
}

std::uint64_t SoftLabels::labelled() const {
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < size(); ++i) n += offsets_[i + 1] > offsets_[i] ? 1 : 0;
    return n;
}

}  // namespace assay
