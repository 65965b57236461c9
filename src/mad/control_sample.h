// A random sample of all images, beside those on which classifiers disagree most: what these are
// correct on says nothing about other images.
//
// Stratum 0: images on which all classifiers that have scores of them predict the same label;
// stratum 1: the others. An image that some classifiers have no scores of so counts by the others,
// and enters the estimates of these alone; one without any scores is in no stratum.
//
// Drawn by the smallest hashes of a stratum's images: without replacement, each with the same
// probability, and a larger sample holds the smaller one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/mad/competition.h"

namespace assay::mad {

inline constexpr std::size_t control_strata = 2;

/// (hash, image): the smallest of the stratum, ascending, and how many images it has.
struct ControlStratum {
    std::uint64_t images = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> drawn;
};
using ControlDraw = std::array<ControlStratum, control_strata>;

/// The `most` smallest of each stratum. `labels`: of each classifier, of the same images, of which
/// the first has the number `first_image`. Memory: 32 `most` bytes a thread.
ControlDraw draw_control(std::span<const std::span<const std::uint16_t>> labels,
                         std::uint64_t first_image, std::uint64_t seed, std::uint64_t most,
                         int threads);
/// Draws of parts become one.
void merge(ControlDraw& draw, const ControlDraw& other, std::uint64_t most);
/// Half of `wanted` for each stratum; what one has too few images for goes to the other. Throws
/// usage: too few for one of each stratum that has images, of which the sample would say nothing.
std::array<std::uint64_t, control_strata> control_sizes(const ControlDraw& draw,
                                                        std::uint64_t wanted);

struct ControlWish {
    std::uint64_t images = 0;
    std::string reason;
    std::uint64_t there = 0;  ///< control_images() when the wish was checked; rank 0 alone
};
/// Draws the sample of a competition, or enlarges it, and writes it (rank 0). Every rank calls it
/// with its part of the labels. Throws what control_is_missing() throws; busy: another process has
/// drawn one since the wish was checked.
void sample_control(Competition& competition, const ControlWish& wish,
                    std::span<const std::span<const std::uint16_t>> labels,
                    std::uint64_t first_image, int threads, Comm& comm);
/// Whether sample_control() has anything to do. Throws usage: a smaller sample than there is, or a
/// larger one with other classifiers than it was drawn with. Rank 0 alone.
bool control_is_missing(const Competition& competition, std::uint64_t wanted);
/// Images of the sample that there is.
std::uint64_t control_images(const Competition& competition);

}  // namespace assay::mad
