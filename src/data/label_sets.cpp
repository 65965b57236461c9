#include "assay/data/label_sets.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/hash.h"

namespace assay {

void LabelSets::append(std::span<const std::int32_t> classes) {
    const auto begin = static_cast<std::ptrdiff_t>(labels_.size());
    for (const std::int32_t c : classes) {
        if (c < 0) {
            labels_.resize(static_cast<std::size_t>(begin));
            throw Error(ErrorCode::internal, fmt::format("class {} in a label set", c));
        }
        labels_.push_back(c);
    }
    std::sort(labels_.begin() + begin, labels_.end());
    labels_.erase(std::unique(labels_.begin() + begin, labels_.end()), labels_.end());
    offsets_.push_back(labels_.size());
}

LabelSets LabelSets::from_single(std::span<const std::int32_t> labels) {
    LabelSets out;
    out.offsets_.reserve(labels.size() + 1);
    out.labels_.reserve(labels.size());
    for (const std::int32_t& label : labels) out.append(std::span(&label, label == -1 ? 0 : 1));
    return out;
}

bool LabelSets::contains(std::size_t item, std::int32_t c) const {
    const auto set = (*this)[item];
    return std::binary_search(set.begin(), set.end(), c);
}

bool LabelSets::is_single() const noexcept {
    for (std::size_t i = 0; i < size(); ++i) {
        if (offsets_[i + 1] - offsets_[i] > 1) return false;
    }
    return true;
}

std::string LabelSets::fingerprint() const {
    Hasher hasher;
    hasher.add_field(std::to_string(size()));
    hasher.add(std::as_bytes(std::span(offsets_)));
    hasher.add(std::as_bytes(std::span(labels_)));
    return hasher.digest();
}

}  // namespace assay
