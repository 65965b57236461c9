#include "metric/class_wise_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "metric/class_wise_kernel.h"
#include "metric/real_sum.h"

namespace assay::detail {

std::uint64_t places_of(std::uint64_t items) {
    const std::uint64_t last = items % group_stretch;
    return items - last + (last + group_count - 1) / group_count * group_count;
}

ClassWiseSums empty_sums() {
    return {std::vector<std::int64_t>(2 * real_slots),
            std::vector<std::int64_t>(std::size_t{2} * group_count * real_slots)};
}

void add_sums(ClassWiseSums& to, const ClassWiseSums& from) {
    for (std::size_t k = 0; k < to.sums.size(); ++k) to.sums[k] += from.sums[k];
    for (std::size_t k = 0; k < to.without.size(); ++k) to.without[k] += from.without[k];
}

std::vector<std::uint64_t> edge_ranks(std::uint64_t m, std::size_t bins) {
    std::vector<std::uint64_t> ranks;
    for (std::size_t i = 1; i < bins; ++i) {
        const double position =
            static_cast<double>(i) * static_cast<double>(m) / static_cast<double>(bins);
        ranks.push_back(
            std::min<std::uint64_t>(static_cast<std::uint64_t>(std::nearbyint(position)), m - 1));
    }
    return ranks;
}

std::vector<ScoreRow> rows_by_place(const ProbabilityRows& rows, std::size_t s,
                                    std::span<const std::uint16_t> places, const float* nothing) {
    const std::uint64_t first = s * std::uint64_t{group_stretch};
    const std::uint64_t items = std::min<std::uint64_t>(group_stretch, rows.items() - first);
    std::vector<ScoreRow> row(places.size(), {nothing, 0, 0});
    for (std::size_t j = 0; j < items; ++j) row[places[j]] = rows.row(first + j);
    return row;
}

void turn_rows(std::span<const ScoreRow> rows, bool exponential, std::uint32_t begin,
               std::uint32_t width, float* out, std::size_t out_stride) {
    std::array<ScoreRow, 16> now, next;
    const auto take = [&](std::size_t first) {
        for (std::size_t k = 0; k < next.size(); ++k) {
            next[k] = rows[first + k];
            next[k].scores += begin;
        }
    };
    take(0);
    for (std::size_t j = 0; j < rows.size(); j += now.size()) {
        now = next;
        const bool more = j + now.size() < rows.size();
        if (more) take(j + now.size());
        turn16(now.data(), more ? next.data() : nullptr, exponential, width, out + j, out_stride);
    }
}

void turn_stretch(const ProbabilityRows& rows, std::size_t s, std::span<const std::uint16_t> places,
                  std::uint32_t begin, std::uint32_t width, float* out, std::size_t out_stride) {
    const std::uint64_t first = s * std::uint64_t{group_stretch};
    const auto items =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(group_stretch, rows.items() - first));
    if (rows.direct() != ProbabilityRows::Direct::no) {
        const std::vector<float> nothing(rows.classes(), 0.0F);
        return turn_rows(rows_by_place(rows, s, places, nothing.data()),
                         rows.direct() == ProbabilityRows::Direct::exponential, begin, width, out,
                         out_stride);
    }
    const std::size_t count = places.size();
    // Processing a slice of the classes at a time keeps the transposed rows in the second-level
    // cache.
    const std::uint32_t slice = std::min(width, rows.slice());
    std::vector<float> scratch(std::size_t{items} * slice);
    const std::vector<float> nothing(slice, 0.0F);
    std::vector<const float*> row(count);
    for (std::uint32_t c = 0; c < width; c += slice) {
        const std::uint32_t now = std::min(slice, width - c);
        rows.read(first, items, begin + c, begin + c + now, scratch.data());
        std::fill(row.begin(), row.end(), nothing.data());
        for (std::size_t j = 0; j < items; ++j) row[places[j]] = scratch.data() + j * now;
        for (std::size_t j = 0; j < count; j += 8)
            transpose8(row.data() + j, now, out + c * out_stride + j, out_stride);
    }
}

ClassEdges edges_of(const ClassBins& cls, std::span<const float> bounds,
                    std::span<const std::uint64_t> hits) {
    const std::size_t bins = cls.below.size(), stride = bins + 1;
    ClassEdges edges{cls.m,
                     {bounds.begin(), bounds.end()},
                     std::vector<double>(stride),
                     std::vector<double>(stride)};
    for (std::size_t b = 0; b < stride; ++b) {
        std::int64_t sum = 0;
        for (std::size_t g = 0; g < group_count; ++g) sum += cls.exact[g * stride + b];
        edges.confidence[b] = static_cast<double>(sum) * 0x1p-40 + static_cast<double>(hits[b]);
        edges.members[b] = static_cast<double>((b < bins ? cls.below[b] : cls.m) -
                                               (b == 0 ? 0 : cls.below[b - 1]));
    }
    return edges;
}

void add_errors(const ClassBins& cls, std::span<const std::uint64_t> group_items,
                ClassWiseSums& result) {
    const std::size_t bins = cls.below.size(), stride = bins + 1;
    const auto m = static_cast<double>(cls.m);
    std::vector<std::int64_t> all(stride, 0);
    for (std::size_t g = 0; g < group_count; ++g) {
        for (std::size_t b = 0; b < stride; ++b) all[b] += cls.exact[g * stride + b];
    }
    std::vector<double> inverse(stride);
    for (std::size_t b = 0; b < stride; ++b) {
        const std::uint64_t members =
            (b < bins ? cls.below[b] : cls.m) - (b == 0 ? 0 : cls.below[b - 1]);
        inverse[b] = members > 0 ? 1 / static_cast<double>(members) : 0;
    }
    double weighted = 0, equal = 0;
    for (std::size_t b = 0; b < stride; ++b) {
        const double gap = std::abs(static_cast<double>(all[b])) * 0x1p-40;
        weighted += gap;
        equal += gap * inverse[b];
    }
    add_real(result.sums.data(), weighted / m);
    add_real(result.sums.data() + real_slots, equal / static_cast<double>(bins));
    const double items = static_cast<double>(
        std::accumulate(group_items.begin(), group_items.end(), std::uint64_t{0}));
    for (std::size_t g = 0; g < group_count; ++g) {
        // Without a group, m and the bins' sizes decrease by the group's proportion of the items:
        // exact counts are not worth a pass.
        const double left = 1 - static_cast<double>(group_items[g]) / items;
        if (group_items[g] == 0 || left <= 0) continue;
        double part = 0, part_equal = 0;
        for (std::size_t b = 0; b < stride; ++b) {
            const double gap =
                std::abs(static_cast<double>(all[b] - cls.exact[g * stride + b])) * 0x1p-40;
            part += gap;
            part_equal += gap * inverse[b];
        }
        std::int64_t* const to = result.without.data() + g * 2 * real_slots;
        add_real(to, part / (m * left));
        add_real(to + real_slots, part_equal / (static_cast<double>(bins) * left));
    }
}

}  // namespace assay::detail
