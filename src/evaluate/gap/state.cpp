#include "evaluate/gap/state.h"

#include <algorithm>

#include "metric/number_list.h"

namespace assay {
namespace {

MetricContext context_of(const MetricRequest& request, const Shape& shape) {
    MetricContext context;
    context.shape = shape;
    context.parameters = request.parameters;
    return context;
}

// An accumulator adds to the group in the row: here it is called for the counts of one group at a
// time.
void update(const Accumulator& accumulator, std::span<std::int64_t> counts, RowFacts row) {
    row.group = 0;
    accumulator.update(counts, {&row, 1});
}

}  // namespace

LabelStrata::LabelStrata(std::uint32_t pooled_above, std::vector<std::uint32_t> subgroups)
    : pooled_above_(pooled_above), subgroups_(std::move(subgroups)) {
    for (const std::uint32_t g : subgroups_) {
        if (g > pooled_above_) larger_.push_back(g);
    }
}

std::size_t LabelStrata::of(std::size_t labels) const {
    if (labels <= pooled_above_) return labels;
    const auto found = std::lower_bound(larger_.begin(), larger_.end(), labels);
    const auto place = static_cast<std::size_t>(found - larger_.begin());
    return pooled_above_ + 1 +
           (found != larger_.end() && *found == labels ? place : larger_.size());
}

GapScheme::GapScheme(LabelStrata strata, std::uint32_t classes, std::string_view agreement,
                     std::string no_top1)
    : strata_(std::move(strata)),
      no_top1_(std::move(no_top1)),
      top1_(parse_metric("top1")),
      real_(parse_metric("real")) {
    const auto& subgroups = strata_.subgroups();
    shape_.classes = classes;
    shape_.most_labels = subgroups.empty() ? 1 : subgroups.back();
    MetricRequest one = parse_metric("subgroup_accuracy");
    one.set("agreement", agreement);
    for (const std::uint32_t g : subgroups) {
        one.set("g", std::to_string(g));
        agreements_.push_back(one);
    }
    if (!subgroups.empty()) {
        asma_ = parse_metric("asma");
        asma_->set("agreement", agreement);
        asma_->set("subgroups",
                   number_list_text(std::vector<int>(subgroups.begin(), subgroups.end())));
    }
    // `real` is counted in the same state as `topk`, and `asma` as the agreement in a subgroup.
    predictions_ = top1_.facts->accumulate(context_of(top1_, shape_));
    label_sets_ = one.facts->accumulate(context_of(one, shape_));
}

std::size_t GapScheme::slots() const noexcept {
    return strata_.size() * predictions_->slots() + label_sets_->slots() + 1;
}

void GapScheme::add(GapState& state, const RowFacts& row) const {
    const std::span counts = std::span(state).subspan(row.group * slots(), slots());
    const std::size_t width = predictions_->slots();
    update(*predictions_, counts.subspan(strata_.of(row.valid) * width, width), row);
    update(*label_sets_, counts.subspan(strata_.size() * width, label_sets_->slots()), row);
    ++counts.back();
}

void GapScheme::add_group(const GapState& state, std::size_t group, std::int64_t weight,
                          std::vector<std::int64_t>& out) const {
    const std::int64_t* const from = state.data() + group * slots();
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += weight * from[k];
}

std::vector<std::int64_t> GapScheme::total(const GapState& state) const {
    std::vector<std::int64_t> sum(slots(), 0);
    for (std::size_t g = 0; g < group_count; ++g) add_group(state, g, 1, sum);
    return sum;
}

GapCounts GapScheme::predictions(GapCounts counts, std::size_t stratum) const {
    return counts.subspan(stratum * predictions_->slots(), predictions_->slots());
}

std::vector<std::int64_t> GapScheme::predictions(GapCounts counts) const {
    std::vector<std::int64_t> sum(predictions_->slots(), 0);
    for (std::size_t s = 0; s < strata_.size(); ++s) {
        const GapCounts one = predictions(counts, s);
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += one[k];
    }
    return sum;
}

GapCounts GapScheme::label_sets(GapCounts counts) const {
    return counts.subspan(strata_.size() * predictions_->slots(), label_sets_->slots());
}

}  // namespace assay
