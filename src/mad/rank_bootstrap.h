// The variation of places with other images and other annotators.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mad/rank.h"
#include "mad/tally.h"

namespace assay::mad {

/// Places within each component: 1 for the highest score.
std::vector<double> places_within(const std::vector<double>& scores,
                                  const std::vector<std::uint32_t>& component);

/// Log ratio of each pair.
PairMatrix images_of_pairs(std::size_t classifiers, std::span<const PairCounts> counts);

/// Perron's vector would treat pairs without images as ties, so HodgeRank replaces it if there are
/// any.
PlacedBy rule_for(PlacedBy wanted, std::size_t classifiers, std::span<const PairCounts> counts);

/// Places by rule_for(), from 1 for the best within each component. `component` is
/// HodgeRanking::component of the full ranking.
std::vector<double> places_by(PlacedBy rule, std::size_t classifiers,
                              std::span<const PairCounts> counts, const RankOptions& options,
                              const std::vector<std::uint32_t>& component);

/// A part of the images may leave a classifier without a correct one. So if alpha is 0, half an
/// image is added.
RankOptions for_parts_of_images(RankOptions options);

/// Places of all classifiers, replicate by replicate. Each replicate weights every image, in all
/// its pairs, by Poisson(1), and draws as many annotators as there are, with replacement. Their
/// answers decide every question again. A question without an answer in a replicate excludes its
/// places, and a tie keeps its outcome. With Dawid and Skene, the annotators' rates stay as fitted.
/// Gold answers stay known. The results do not depend on the number of threads.
std::vector<std::vector<double>> bootstrap_places(const Tally& tally,
                                                  const std::vector<PairRow>& pairs,
                                                  const std::vector<SelectedRow>& selected,
                                                  const std::vector<std::uint32_t>& numbers,
                                                  PlacedBy rule, const RankOptions& options,
                                                  const std::vector<std::uint32_t>& component);

/// The interval for one classifier, of whole places, which contains `place`.
Interval place_interval(std::vector<double> replicates, double place, double level);

}  // namespace assay::mad
