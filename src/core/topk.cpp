#include "core/topk.h"

#include <algorithm>
#include <array>

#include "core/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace assay {
namespace {

// The numbers of scores above a threshold and equal to it.
struct Beside {
    std::int32_t above = 0, equal = 0;
};

Beside count_plain(std::span<const float> row, float threshold) {
    Beside count;
    for (const float x : row) {
        count.above += x > threshold ? 1 : 0;
        count.equal += x == threshold ? 1 : 0;
    }
    return count;
}

#if defined(__x86_64__) || defined(__i386__)
__attribute__((target("avx2"))) Beside count_avx2(std::span<const float> row, float threshold) {
    const std::size_t whole = row.size() / 8 * 8;
    const __m256 t = _mm256_set1_ps(threshold);
    __m256i above = _mm256_setzero_si256(), equal = above;
    for (std::size_t i = 0; i < whole; i += 8) {
        const __m256 x = _mm256_loadu_ps(row.data() + i);
        above = _mm256_sub_epi32(above, _mm256_castps_si256(_mm256_cmp_ps(x, t, _CMP_GT_OQ)));
        equal = _mm256_sub_epi32(equal, _mm256_castps_si256(_mm256_cmp_ps(x, t, _CMP_EQ_OQ)));
    }
    std::array<std::int32_t, 8> greater{}, same{};
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(greater.data()), above);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(same.data()), equal);
    Beside count = count_plain(row.subspan(whole), threshold);
    for (std::size_t lane = 0; lane < 8; ++lane) {
        count.above += greater[lane];
        count.equal += same[lane];
    }
    return count;
}
#else
Beside count_avx2(std::span<const float> row, float threshold) {
    return count_plain(row, threshold);
}
#endif

// The number of classes ranked before this one.
std::int32_t rank_of(std::span<const float> row, std::int32_t index) {
    const float score = row[static_cast<std::size_t>(index)];
    const Beside count = cpu_has_avx2() ? count_avx2(row, score) : count_plain(row, score);
    std::int32_t rank = count.above;
    if (count.equal > 1) {  // ties are rare, and only then the positions matter
        for (const float x : row.first(static_cast<std::size_t>(index))) rank += x == score ? 1 : 0;
    }
    return rank;
}

}  // namespace

void top_k(std::span<const float> row, std::size_t k, std::vector<std::int32_t>& order) {
    k = std::min(k, row.size());
    order.clear();
    if (k == 0) return;
    const auto before = [row](std::int32_t i, std::int32_t j) {
        const float a = row[static_cast<std::size_t>(i)], b = row[static_cast<std::size_t>(j)];
        return a != b ? a > b : i < j;
    };
    // A heap of the k best scores so far, with the worst in front. A row is read once, and few of
    // its scores enter the heap.
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

std::uint32_t variable_top_k_hits(std::span<const float> row,
                                  std::span<const std::int32_t> wanted) {
    if (wanted.empty()) return 0;
    thread_local std::vector<std::int32_t> order;
    order.assign(wanted.begin(), wanted.end());
    std::sort(order.begin(), order.end(), [row](std::int32_t i, std::int32_t j) {
        const float a = row[static_cast<std::size_t>(i)], b = row[static_cast<std::size_t>(j)];
        return a != b ? a > b : i < j;
    });
    // Ranks grow along the order, so the classes within the best form a prefix, and a few ranks
    // show its length.
    const auto size = static_cast<std::int32_t>(order.size());
    std::size_t hits = 0, misses = order.size();
    while (hits < misses) {
        const std::size_t middle = hits + (misses - hits) / 2;
        if (rank_of(row, order[middle]) < size) {
            hits = middle + 1;
        } else {
            misses = middle;
        }
    }
    return static_cast<std::uint32_t>(hits);
}

}  // namespace assay
