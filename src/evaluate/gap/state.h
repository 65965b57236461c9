// What is added up for the gap between two data sets: integer counts by group of images and by
// number of labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/evaluate/gap.h"

namespace assay {

using Maybe = std::optional<double>;

/// Label counts that are told apart: 0, 1, ..., pooled_above; then each larger one that is a
/// subgroup; then the rest.
class LabelStrata {
public:
    LabelStrata(std::uint32_t pooled_above, std::vector<std::uint32_t> subgroups);

    std::size_t size() const noexcept { return pooled_above_ + 2 + larger_.size(); }
    std::size_t of(std::size_t labels) const;
    /// 0 .. pooled_above + 1: every larger label count is one.
    std::size_t pooled(std::size_t stratum) const {
        return std::min<std::size_t>(stratum, pooled_above_ + 1);
    }
    std::size_t pooled_size() const noexcept { return pooled_above_ + 2; }
    const std::vector<std::uint32_t>& subgroups() const noexcept { return subgroups_; }

private:
    std::uint32_t pooled_above_;
    std::vector<std::uint32_t> subgroups_, larger_;
};

/// Counts of one stratum, in this order.
enum GapSlot : std::size_t {
    slot_scored,     ///< images with scores
    slot_single,     ///< of these, with a single label
    slot_top1,       ///< of these, answered right
    slot_real,       ///< scored, and the answer is a valid label
    slot_agreement,  ///< sum of agreement_units
    slot_unknown,  ///< scored, but the store does not keep as many classes as the image has labels
    gap_slots,
};

/// One scored image of one model.
struct GapFacts {
    std::uint32_t group = 0;  ///< of images, below group_count
    std::size_t stratum = 0;
    std::uint32_t labels = 0;  ///< valid labels
    std::uint32_t hits = 0;    ///< of them among the `labels` best classes
    bool hits_known = true;
    bool single = false, top1 = false, real = false;
};

/// Integers that add up to the agreement: hits, or 2^40 times Jaccard's index, rounded.
std::int64_t agreement_units(std::uint32_t hits, std::uint32_t labels, SetAgreement kind);
/// Mean agreement of `n` > 0 images with `labels` labels each.
double mean_agreement(std::int64_t units, std::int64_t n, std::uint32_t labels,
                      std::uint32_t classes, SetAgreement kind);

/// group_count x strata x gap_slots integers: sums do not depend on the order, hence not on
/// threads.
using GapState = std::vector<std::int64_t>;
inline std::size_t gap_state_size(const LabelStrata& strata) {
    return strata.size() * gap_slots;
}
GapState empty_gap_state(const LabelStrata& strata);
void add_image(GapState& state, const LabelStrata& strata, const GapFacts& facts,
               SetAgreement kind);

}  // namespace assay
