#include "evaluate/score_adaptive.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "metric/families.h"
#include "metric/real_sum.h"

namespace assay {
namespace {

// Confidence of the top prediction as a column of its own: its class 0 is "the prediction is
// correct".
class TopConfidence final : public ProbabilityRows {
public:
    explicit TopConfidence(const ScoredRows& rows) : rows_(rows) {}
    std::uint64_t items() const override { return rows_.items(); }
    std::uint32_t classes() const override { return 2; }
    std::int32_t target(std::uint64_t item) const override {
        const std::int32_t target = rows_.target(item);
        return target < 0 ? -1 : record(item).predicted == target ? 0 : 1;
    }
    void read(std::uint64_t first, std::uint32_t n, std::uint32_t, std::uint32_t,
              float* out) const override {
        for (std::uint64_t item = first; item < first + n; ++item) {
            *out++ = rows_.target(item) < 0 ? 0 : record(item).confidence;
        }
    }

private:
    const ItemRecord& record(std::uint64_t item) const {
        return rows_.records()[static_cast<std::size_t>(item)];
    }
    const ScoredRows& rows_;
};

}  // namespace

ResampledEstimate AdaptiveBins::estimate(const MetricRequest& request,
                                         std::span<const std::uint64_t> group_sizes) {
    ResampledEstimate result;
    Estimate& value = result;
    for (const std::uint64_t size : group_sizes) value.n += size;
    const std::string& variant = request.parameters.at("variant");
    const bool top = variant == "top_label";
    if (!shape_.probabilities) {
        value.undefined = families::no_probabilities;
    } else if (!top && !shape_.full_rows) {
        value.undefined =
            fmt::format("the store keeps {} only: class-wise bins need every class's probability",
                        name_of(storage_));
    } else if (value.n == 0) {
        value.undefined = "no item has a single label";
    }
    if (!value.undefined.empty()) return result;
    const ClassWiseSums& bins = sums(std::stoi(request.parameters.at("bins")), top);
    const std::size_t offset = variant == "class_wise_equal" ? real_slots : 0;
    const double classes = top ? 1 : shape_.classes;
    value.value = real_of(bins.sums.data() + offset) / classes;
    for (std::size_t g = 0; g < group_count; ++g) {
        if (group_sizes[g] == 0) continue;
        result.without.push_back(real_of(bins.without.data() + g * 2 * real_slots + offset) /
                                 classes);
    }
    return result;
}

const ClassWiseSums& AdaptiveBins::sums(int bins, bool top) {
    const auto [found, added] = cache_.try_emplace({bins, top});
    if (!added) return found->second;
    ClassWiseOptions how{
        .bins = bins, .threads = threads_, .scratch_bytes = options_.scratch_bytes};
    ClassWiseSums& sums = found->second;
    how.keep_edges = options_.null_draws > 0;
    if (top) {
        how.last_class = 1;
        sums = class_wise_sums(TopConfidence(rows_), how);  // small: every rank does all of it
        return sums;
    }
    const std::uint64_t classes = shape_.classes, ranks = static_cast<std::uint64_t>(comm_.size());
    const auto first_of = [&](int rank) {
        return static_cast<std::uint32_t>(classes * static_cast<std::uint64_t>(rank) / ranks);
    };
    how.first_class = first_of(comm_.rank());
    how.last_class = first_of(comm_.rank() + 1);
    agree(comm_, [&] { sums = class_wise_sums(rows_, how); });
    comm_.all_reduce(sums.sums);
    comm_.all_reduce(sums.without);
    if (how.keep_edges) join_edges(sums.edges);
    return sums;
}

// Each rank holds the edges of its classes; the null needs those of all.
void AdaptiveBins::join_edges(std::vector<ClassEdges>& edges) {
    if (comm_.size() == 1) return;
    std::vector<double>
        flat;  // m, then bounds, confidence and members, class by class; -1 for nothing
    std::size_t width = 0;
    for (const ClassEdges& e : edges) width = std::max(width, e.members.size());
    std::uint64_t widest = 0;
    for (const auto& part : all_gather<std::uint64_t>(comm_, std::vector<std::uint64_t>{width}))
        widest = std::max(widest, part.at(0));
    for (const ClassEdges& e : edges) {
        std::vector<double> one(1 + 3 * widest, -1);
        if (!e.members.empty()) {
            one[0] = static_cast<double>(e.m);
            std::copy(e.bounds.begin(), e.bounds.end(), one.begin() + 1);
            std::copy(e.confidence.begin(), e.confidence.end(),
                      one.begin() + 1 + static_cast<std::ptrdiff_t>(widest));
            std::copy(e.members.begin(), e.members.end(),
                      one.begin() + 1 + 2 * static_cast<std::ptrdiff_t>(widest));
        }
        flat.insert(flat.end(), one.begin(), one.end());
    }
    const std::size_t row = 1 + 3 * widest;
    for (const auto& part : all_gather<double>(comm_, flat)) {
        for (std::size_t c = 0; c < edges.size(); ++c) {
            const auto at = part.begin() + static_cast<std::ptrdiff_t>(c * row);
            if (*at < 0) continue;
            const auto step = static_cast<std::ptrdiff_t>(widest);
            edges[c].m = static_cast<std::uint64_t>(*at);
            edges[c].bounds.assign(at + 1, at + step);
            edges[c].confidence.assign(at + 1 + step, at + 1 + 2 * step);
            edges[c].members.assign(at + 1 + 2 * step, at + 1 + 3 * step);
        }
    }
}

}  // namespace assay
