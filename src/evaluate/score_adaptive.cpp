#include "evaluate/score_adaptive.h"

#include <string>

#include <fmt/core.h>

#include "core/cpu.h"
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
    // What the memory of the machine holds, its ranks read once.
    if (comm_.on_one_machine()) how.row_shares_beyond = physical_memory() / 2;
    sums = class_wise_sums(rows_, how, comm_);
    return sums;
}

}  // namespace assay
