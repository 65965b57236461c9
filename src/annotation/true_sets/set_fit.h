// EM for the model of set_posterior.h.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "annotation/true_sets/set_posterior.h"

namespace assay::true_sets {

/// Calls body(posterior buffer, block, first image, last image) for fixed blocks of images, at most
/// `most_blocks` of them. Sums by block, merged in order, do not depend on the number of threads.
std::size_t block_count(const AskedImages& images, std::size_t most_blocks);
void for_each_block(const AskedImages& images, const Layout& layout, std::size_t most_blocks,
                    int threads,
                    const std::function<void(SetPosterior& room, std::size_t block,
                                             std::size_t first, std::size_t last)>& body);

/// The sums over the images in a step of EM, without the pseudo counts.
struct EmSums {
    std::vector<double> valid;     ///< levels: posteriors of the classes with that rank
    std::vector<double> expected;  ///< levels: the prior's expectations for them
    std::vector<double> sizes;     ///< by cell and number of labels, as in Layout
    std::vector<double> answers;   ///< 2 x A x R: answers to classes that are not valid, and to
                                   ///< valid ones
};
EmSums em_sums(const AskedImages& images, const Layout& layout, std::span<const double> parameters,
               int threads);

// Pseudo counts. They keep logarithms finite for a rare rank, number of labels or answer.
inline constexpr double half_a_label = .5;    ///< for each level, valid and expected
inline constexpr double tenth_an_image = .1;  ///< for each number of labels of each cell
inline constexpr double one_answer = 1;       ///< for each annotator, over all answers
inline constexpr double largest_log_odds = 8;

/// The next parameters from the sums for `parameters`. The log odds change by generalised iterative
/// scaling. Their mean is 0, because only their ratios matter given g.
std::vector<double> em_step(const AskedImages& images, const Layout& layout,
                            std::span<const double> parameters, const EmSums& sums);

struct SetFit {
    std::vector<double> parameters;
    int rounds = 0;          ///< number of rounds of three steps each
    bool converged = false;  ///< no logarithm changed by more than 1e-5 in the last step
};
/// Starts from Dawid and Skene's posteriors and extrapolates (SQUAREM). Cost: at most 360 passes,
/// each of which costs K^2 log K per image.
SetFit fit_sets(const AskedImages& images, const Layout& layout, int threads);

/// Posteriors of the questions by Dawid and Skene's model with two latent classes and one
/// prevalence, without sets and ranks; smoothing 0.01 as in `labels aggregate`.
std::vector<double> plain_posteriors(const AskedImages& images, int most_rounds = 500);

}  // namespace assay::true_sets
