#include "assay/topk.h"

#include <algorithm>

namespace assay {

void top_k(std::span<const float> row, std::size_t k, std::vector<std::int32_t>& order) {
    k = std::min(k, row.size());
    order.clear();
    if (k == 0) return;
    const auto before = [row](std::int32_t i, std::int32_t j) {
        const float a = row[static_cast<std::size_t>(i)], b = row[static_cast<std::size_t>(j)];
        return a != b ? a > b : i < j;
    };
    // A heap of the k best so far whose front is the worst of them: a row of 1000 is passed once, and few entries ever
    // enter.
    for (std::size_t i = 0; i < row.size(); ++i) {
        const auto index = static_cast<std::int32_t>(i);
        if (order.size() < k) {
            order.push_back(index);
            std::push_heap(order.begin(), order.end(), before);
        } else if (row[i] > row[static_cast<std::size_t>(order.front())]) {
            std::pop_heap(order.begin(), order.end(), before);
            order.back() = index;
            std::push_heap(order.begin(), order.end(), before);
        }
    }
    std::sort_heap(order.begin(), order.end(), before);
}

}  // namespace assay
