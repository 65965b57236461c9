// Searches candidates over all ranks, each with its part of the images.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "collective/rank_part.h"
#include "mad/selection_work.h"

namespace assay::mad {

/// A number for each image, equal for images with the same parent, from the data set's attribute
/// `parent`. An image without one is its own parent. If there is no such attribute, the result is
/// empty and *found is false.
std::vector<std::uint64_t> parents_of(const Competition& competition, bool* found);

/// The number of pairs for one pass, at least one, if each has this many candidates in memory. The
/// candidates of a pass take at most half a GiB.
std::size_t pairs_of_a_batch(std::uint64_t candidates);

class SelectionScan {
public:
    /// `parents` covers all images or is empty; it must outlive this object.
    SelectionScan(const Competition& competition, std::span<const std::uint64_t> parents,
                  Comm& comm, int threads, const ProgressCallback& progress);

    /// Maps the predictions of these classifiers, and verifies their bytes, each on one rank.
    /// Throws bad_input if they differ from the record. The other functions call it.
    void open(const std::vector<std::uint32_t>& classifiers);
    /// The kept candidates of each pair, merged in rank order, on rank 0. Throws bad_input if
    /// predictions differ from the record.
    std::vector<ScannedPair> scan(std::span<const PlannedPair> pairs,
                                  std::span<const std::uint64_t> excluded);
    /// The labels of this rank's images from all active classifiers.
    std::vector<std::span<const std::uint16_t>> labels();
    const RankPart& part() const { return part_; }
    /// The number of images, over all ranks, with scores from all active classifiers.
    std::uint64_t scored();

private:
    std::uint64_t key_of(const PlannedPair& pair) const;  ///< the key of its ties
    void open_mine(const std::vector<std::uint32_t>& classifiers);

    const Competition& competition_;
    std::span<const std::uint64_t> parents_;
    Comm& comm_;
    int threads_;
    ProgressCallback progress_;
    RankPart part_;
    std::optional<ClassDistances> distances_;
    std::map<std::uint32_t, StoredPredictions> open_;  ///< by number
};

}  // namespace assay::mad
