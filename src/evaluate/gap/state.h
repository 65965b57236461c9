// The sums for the gap between two data sets. They are states of metrics (topk, real and the label
// sets), by group of images and by number of labels per image.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/evaluate/gap.h"
#include "assay/metric/metric.h"

namespace assay {

using Maybe = std::optional<double>;

/// Numbers of labels per image that are distinguished: 0, 1, ..., pooled_above; then each larger
/// one that is a subgroup; then the rest.
class LabelStrata {
public:
    LabelStrata(std::uint32_t pooled_above, std::vector<std::uint32_t> subgroups);

    std::size_t size() const noexcept { return pooled_above_ + 2 + larger_.size(); }
    std::size_t of(std::size_t labels) const;
    /// Returns 0 .. pooled_above + 1. All larger numbers of labels count as one.
    std::size_t pooled(std::size_t stratum) const {
        return std::min<std::size_t>(stratum, pooled_above_ + 1);
    }
    std::size_t pooled_size() const noexcept { return pooled_above_ + 2; }
    const std::vector<std::uint32_t>& subgroups() const noexcept { return subgroups_; }

private:
    std::uint32_t pooled_above_;
    std::vector<std::uint32_t> subgroups_, larger_;
};

/// group_count times GapScheme::slots() integers: sums do not depend on the order, and therefore
/// not on threads and ranks.
using GapState = std::vector<std::int64_t>;
/// The GapScheme::slots() integers, for any selection of groups.
using GapCounts = std::span<const std::int64_t>;

/// The metrics of the gap, and the places of their counts.
class GapScheme {
public:
    /// `agreement` is as `asma` accepts it. `no_top1` says why top-1 is skipped; "" if it is not.
    /// Throws usage for another agreement.
    GapScheme(LabelStrata strata, std::uint32_t classes, std::string_view agreement,
              std::string no_top1 = "");

    const LabelStrata& strata() const noexcept { return strata_; }
    /// For rows with every class; images with more labels than any subgroup are excluded from ASMA.
    const Shape& shape() const noexcept { return shape_; }
    const std::string& no_top1() const noexcept { return no_top1_; }
    /// Top-1 for the data set's own labels, ReaL, and the agreement in each subgroup.
    const MetricRequest& top1() const noexcept { return top1_; }
    const MetricRequest& real() const noexcept { return real_; }
    const MetricRequest& agreement(std::size_t subgroup) const { return agreements_.at(subgroup); }
    /// Returns nothing without subgroups.
    const std::optional<MetricRequest>& asma() const noexcept { return asma_; }

    std::size_t slots() const noexcept;
    GapState empty() const { return GapState(group_count * slots(), 0); }
    /// Adds one scored image. `row.target` is its single label; `row.valid`, `row.hits` and
    /// `row.in_set` use the label sets.
    void add(GapState& state, const RowFacts& row) const;
    /// Adds weight times the counts of a group to `out`.
    void add_group(GapState const& state, std::size_t group, std::int64_t weight,
                   std::vector<std::int64_t>& out) const;
    std::vector<std::int64_t> total(const GapState& state) const;

    /// These functions return parts of the counts. Both predictions() return the state of top1()
    /// and real(), over one stratum or over all. The state of the agreements is label_sets(), and
    /// the number of scored images is scored().
    GapCounts predictions(GapCounts counts, std::size_t stratum) const;
    std::vector<std::int64_t> predictions(GapCounts counts) const;
    GapCounts label_sets(GapCounts counts) const;
    std::int64_t scored(GapCounts counts) const { return counts.back(); }

private:
    LabelStrata strata_;
    std::string no_top1_;
    Shape shape_;
    MetricRequest top1_, real_;
    std::optional<MetricRequest> asma_;
    std::vector<MetricRequest> agreements_;
    std::unique_ptr<Accumulator> predictions_, label_sets_;
};

}  // namespace assay
