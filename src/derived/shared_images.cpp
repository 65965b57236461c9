#include "derived/shared_images.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::derived {
namespace {

/// Another run of the same model on the same image differs only by rounding.
bool same_scores(std::span<const float> a, std::span<const float> b) {
    return std::ranges::equal(a, b, [](float x, float y) {
        // The tolerance is relative, so that small probabilities can distinguish images for which a
        // model is equally certain.
        return x == y || std::abs(x - y) <= 1e-6F + 1e-3F * std::max(std::abs(x), std::abs(y));
    });
}

bool ids_are_row_numbers(const Dataset& dataset) {
    for (std::size_t i = 0; i < dataset.ids.size(); ++i) {
        if (dataset.ids[i] != std::to_string(i)) return false;
    }
    return true;
}

}  // namespace

SharedImages shared_images(const RowReader& one, const RowReader& two) {
    const Dataset &first = one.store().dataset(), &second = two.store().dataset();
    std::vector<std::pair<std::string_view, std::uint64_t>> ids;
    for (std::uint64_t row = 0; row < one.store().rows(); ++row)
        ids.emplace_back(first.ids[static_cast<std::size_t>(row)], row);
    std::ranges::sort(ids);
    SharedImages out;
    std::vector<float> a, b;
    for (std::uint64_t row = 0; row < two.store().rows(); ++row) {
        const std::string_view id = second.ids[static_cast<std::size_t>(row)];
        const auto found = std::ranges::lower_bound(ids, std::pair(id, std::uint64_t{0}));
        if (found == ids.end() || found->first != id) continue;
        if (one.status(found->second) != RowStatus::ok || two.status(row) != RowStatus::ok)
            continue;
        ++out.compared;
        if (!same_scores(one.scores(found->second, a), two.scores(row, b))) continue;
        if (out.images++ == 0) out.first = id;
    }
    if (2 * out.images <= out.compared && ids_are_row_numbers(first) && ids_are_row_numbers(second))
        return {0, out.compared, ""};
    return out;
}

}  // namespace assay::derived
