// Calibration errors with bins of equal counts, by class or for the top label. This file has the
// pass that reads the rows again (class_wise.h), and its row of the table.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <utility>

#include "assay/collective/comm.h"
#include "core/cpu.h"
#include "metric/class_wise.h"
#include "metric/drawn.h"
#include "metric/metric_rows.h"
#include "metric/real_sum.h"
#include "metric/table_rows.h"

namespace assay {
namespace {

// The confidence of the top prediction as a single column: its class 0 means "the prediction is
// correct".
class TopConfidence final : public ProbabilityRows {
public:
    explicit TopConfidence(const MetricRows& rows) : rows_(rows) {}
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
    const MetricRows& rows_;
};

struct AdaptiveState final : PassState {
    // keyed by bins and whether it is for the top label
    std::map<std::pair<int, bool>, ClassWiseSums> sums;
};

bool is_top_label(const MetricRequest& request) {
    return request.parameters.at("variant") == "top_label";
}

const ClassWiseSums& adaptive_sums(const MetricRequest& request, PassRun& run) {
    const int bins = std::stoi(request.parameters.at("bins"));
    const bool top = is_top_label(request);
    const auto [found, added] = run.state<AdaptiveState>().sums.try_emplace({bins, top});
    ClassWiseSums& sums = found->second;
    if (!added) return sums;
    const PassRows& again = run.again();
    ClassWiseOptions how{
        .bins = bins, .threads = again.threads, .scratch_bytes = again.scratch_bytes};
    how.keep_edges = again.drawn_later;
    if (top) {
        how.last_class = 1;
        // this is small, so every rank computes all of it
        sums = class_wise_sums(TopConfidence(again.rows), how);
        return sums;
    }
    // If the scores fit in the memory of the machine, its ranks read them once.
    if (again.comm.on_one_machine()) how.row_shares_beyond = physical_memory() / 2;
    sums = class_wise_sums(again.rows, how, again.comm);
    return sums;
}

/// Draws new labels in the same bins.
class DrawnAdaptive final : public DrawnMetric {
public:
    DrawnAdaptive(const ClassWiseSums& sums, bool top_label, bool equal)
        : edges_(sums.edges),
          top_label_(top_label),
          equal_(equal),
          classes_(top_label ? 1 : edges_.size()) {
        const auto of_some = std::ranges::find_if(
            edges_, [](const ClassEdges& edges) { return !edges.members.empty(); });
        if (of_some != edges_.end()) width_ = of_some->members.size();
    }
    std::size_t slots() const override { return classes_ * width_; }
    void add_item(std::span<std::int64_t> counts, const DrawnItem& item) const override {
        if (!top_label_) {
            hit(counts, item.label, item.probability);
        } else if (item.correct) {
            hit(counts, 0, item.confidence);
        }
    }
    double value(std::span<const std::int64_t> counts, std::span<const double>) const override {
        double sum = 0;
        for (std::size_t c = 0; c < classes_; ++c) {
            const ClassEdges& edges = edges_[c];
            for (std::size_t b = 0; b < edges.members.size(); ++b) {
                const double gap =
                    std::abs(edges.confidence[b] - static_cast<double>(counts[c * width_ + b]));
                if (edges.members[b] > 0) {
                    sum += equal_ ? gap / edges.members[b] / static_cast<double>(width_ - 1)
                                  : gap / static_cast<double>(edges.m);
                }
            }
        }
        return sum / static_cast<double>(classes_);
    }

private:
    void hit(std::span<std::int64_t> counts, std::size_t cls, float p) const {
        const std::vector<float>& bounds = edges_[cls].bounds;
        if (!(p > 0) || bounds.empty()) return;
        const auto bin = static_cast<std::size_t>(
            std::upper_bound(bounds.begin(), bounds.end(), p) - bounds.begin());
        std::atomic_ref<std::int64_t>(counts[cls * width_ + bin])
            .fetch_add(1, std::memory_order_relaxed);
    }

    const std::vector<ClassEdges>& edges_;
    const bool top_label_, equal_;
    const std::size_t classes_;
    std::size_t width_ = 1;
};

class AdaptivePass final : public MetricPass {
public:
    KeptItems keeps(const MetricRequest&, bool known) const override { return {known, false}; }

    ResampledEstimate estimate(const MetricRequest& request, PassRun& run) const override {
        ResampledEstimate result;
        Estimate& value = result;
        const std::vector<std::uint64_t>& group_sizes = run.sums().group_sizes();
        for (const std::uint64_t size : group_sizes) value.n += size;
        const bool top = is_top_label(request);
        const Shape& shape = run.sums().shape();
        if (!top || !shape.probabilities)
            value.undefined =
                run.again().rows.lacking("class-wise bins need every class's probability");
        if (value.undefined.empty() && value.n == 0) value.undefined = "no item has a single label";
        if (!value.undefined.empty()) return result;
        const ClassWiseSums& bins = adaptive_sums(request, run);
        const std::size_t offset =
            request.parameters.at("variant") == "class_wise_equal" ? real_slots : 0;
        const double classes = top ? 1 : shape.classes;
        value.value = real_of(bins.sums.data() + offset) / classes;
        for (std::size_t g = 0; g < group_count; ++g) {
            if (group_sizes[g] == 0) continue;
            result.without.push_back(real_of(bins.without.data() + g * 2 * real_slots + offset) /
                                     classes);
        }
        return result;
    }

    std::unique_ptr<DrawnMetric> drawn(const MetricRequest& request, PassRun& run,
                                       DrawnMetrics&) const override {
        return std::make_unique<DrawnAdaptive>(
            adaptive_sums(request, run), is_top_label(request),
            request.parameters.at("variant") == "class_wise_equal");
    }
};

std::string ace_definition(const Parameters& p) {
    return "ace." + p.at("variant");
}

}  // namespace

namespace rows {

void add_adaptive(MetricTable& table) {
    using enum Needs;
    table.push_back(
        {.name = "ace",
         .title = "Adaptive calibration error",
         .formula = "sum of n_r/m |accuracy(r,c) - confidence(r,c)| over bins with equal numbers "
                    "of items; mean over the classes",
         .parameters = {bins_parameter(),
                        {"variant",
                         "class_wise",
                         "class_wise: as in the published code; class_wise_equal: weights 1/B (eq. "
                         "8); top_label: top confidence only. A probability of 1 has a bin of its "
                         "own; probabilities are 32-bit: one above 1 - 2^-25 is 1",
                         {"class_wise", "class_wise_equal", "top_label"}}},
         .needs = labels | probabilities | full_rows,
         .higher_is_better = false,
         .origin =
             "Nixon et al. 2019, Measuring calibration in deep learning; Hesse et al. 2026, eq. 8",
         .uncertainty = Uncertainty::jackknife,
         .pass = std::make_shared<AdaptivePass>(),
         .definition = ace_definition,
         .calibrated_null = true,
         .variants = {{}, {{"variant", "top_label"}}}});
}

}  // namespace rows
}  // namespace assay
