#include "assay/data/label_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "core/hash.h"

namespace assay {

LabelSets::LabelSets(HeldArray<std::uint64_t> offsets, HeldArray<std::int32_t> classes)
    : offsets_(std::move(offsets)), labels_(std::move(classes)) {
    const std::span<const std::uint64_t> ends = offsets_.span();
    const std::span<const std::int32_t> all = labels_.span();
    bool good = !ends.empty() && ends.front() == 0 && ends.back() == all.size() &&
                std::ranges::is_sorted(ends);
    for (std::size_t i = 0; good && i + 1 < ends.size(); ++i) {
        for (std::uint64_t j = ends[i]; j < ends[i + 1]; ++j)
            good = good && all[j] >= 0 && (j == ends[i] || all[j - 1] < all[j]);
    }
    if (!good)
        throw Error(ErrorCode::bad_input,
                    "label sets need class numbers of 0 or more, ascending, each once in an item");
}

void LabelSets::append(std::span<const std::int32_t> classes) {
    std::vector<std::int32_t>& labels = labels_.own();
    const auto begin = static_cast<std::ptrdiff_t>(labels.size());
    for (const std::int32_t c : classes) {
        if (c < 0) {
            labels.resize(static_cast<std::size_t>(begin));
            throw Error(ErrorCode::internal,
                        fmt::format("a label set contains class {}, which does not exist", c));
        }
        labels.push_back(c);
    }
    std::sort(labels.begin() + begin, labels.end());
    labels.erase(std::unique(labels.begin() + begin, labels.end()), labels.end());
    offsets_.push_back(labels.size());
}

LabelSets LabelSets::from_single(std::span<const std::int32_t> labels) {
    LabelSets out;
    out.offsets_.own().reserve(labels.size() + 1);
    out.labels_.own().reserve(labels.size());
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
    hasher.add(std::as_bytes(offsets()));
    hasher.add(std::as_bytes(classes()));
    return hasher.digest();
}

}  // namespace assay
