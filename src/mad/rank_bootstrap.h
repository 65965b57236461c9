// How far places move with other images and other annotators.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mad/rank.h"
#include "mad/tally.h"

namespace assay::mad {

/// 1 for the highest score; within each component.
std::vector<double> places_within(const std::vector<double>& scores,
                                  const std::vector<std::uint32_t>& component);

/// Of each pair.
PairMatrix images_of_pairs(std::size_t classifiers, std::span<const PairCounts> counts);

/// Perron's vector takes pairs without images for ties: HodgeRank in its place where there are any.
PlacedBy rule_for(PlacedBy wanted, std::size_t classifiers, std::span<const PairCounts> counts);

/// By rule_for(): 1 for the best; within each component. `component`: HodgeRanking::component of
/// the whole ranking.
std::vector<double> places_by(PlacedBy rule, std::size_t classifiers,
                              std::span<const PairCounts> counts, const RankOptions& options,
                              const std::vector<std::uint32_t>& component);

/// A part of the images may leave a classifier without a correct one: where alpha is 0, half an
/// image is added then.
RankOptions for_parts_of_images(RankOptions options);

/// Places of all classifiers, replicate by replicate. Each replicate weighs every image, in all
/// pairs that it serves, by Poisson(1), and takes as many annotators as there are, with
/// replacement: every question is decided anew by their answers. A question of which a replicate
/// has no answer leaves its places out; one that is divided stays as it was decided. With Dawid and
/// Skene the annotators' rates are held as they were fitted. Gold stays known. Same bits for any
/// number of threads.
std::vector<std::vector<double>> bootstrap_places(const Tally& tally,
                                                  const std::vector<PairRow>& pairs,
                                                  const std::vector<SelectedRow>& selected,
                                                  const std::vector<std::uint32_t>& numbers,
                                                  PlacedBy rule, const RankOptions& options,
                                                  const std::vector<std::uint32_t>& component);

/// Of the places of one classifier: whole places that hold `place`.
Interval place_interval(std::vector<double> replicates, double place, double level);

}  // namespace assay::mad
