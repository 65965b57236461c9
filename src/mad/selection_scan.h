// Looking for candidates over all ranks, each with its part of the images.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "collective/rank_part.h"
#include "mad/selection_work.h"

namespace assay::mad {

/// A number for each image: two of one parent have the same. By the attribute `parent` of the data
/// set; an image without one is its own. Empty, and *found false, where there is no such attribute.
std::vector<std::uint64_t> parents_of(const Competition& competition, bool* found);

/// Pairs that are looked at in one pass, each with so many candidates in memory: at most half a
/// GiB of them, or one pair.
std::size_t pairs_of_a_batch(std::uint64_t candidates);

class SelectionScan {
public:
    /// `parents`: of all images, or none; must outlive it.
    SelectionScan(const Competition& competition, std::span<const std::uint64_t> parents,
                  Comm& comm, int threads, const ProgressCallback& progress);

    /// Maps the predictions of these classifiers, and checks their bytes, each on one rank. Throws
    /// bad_input: predictions that are not those recorded. The other functions do it, too.
    void open(const std::vector<std::uint32_t>& classifiers);
    /// What is kept of each pair, merged in rank order, on rank 0. Throws bad_input: predictions
    /// that are not those recorded.
    std::vector<ScannedPair> scan(std::span<const PlannedPair> pairs,
                                  std::span<const std::uint64_t> excluded);
    /// Labels of this rank's images by all active classifiers.
    std::vector<std::span<const std::uint16_t>> labels();
    const RankPart& part() const { return part_; }
    /// Images that all active classifiers have scores of, on all ranks.
    std::uint64_t scored();

private:
    std::uint64_t key_of(const PlannedPair& pair) const;  ///< of its ties
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
