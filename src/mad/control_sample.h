// A random sample of all images, because the images on which classifiers disagree most are not
// representative.
//
// Stratum 0 has the images for which all classifiers with scores predict the same label; stratum 1
// has the others. If some classifiers have no scores for an image, the others determine its
// stratum, and only their estimates use it. An image without any scores is in no stratum.
//
// The images with the smallest hashes in a stratum are drawn. Drawing is without replacement, each
// image has the same probability, and a larger sample contains a smaller one.
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

/// Pairs (hash, image) for the smallest hashes of the stratum, ascending, and its number of images.
struct ControlStratum {
    std::uint64_t images = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> drawn;
};
using ControlDraw = std::array<ControlStratum, control_strata>;

/// The `most` smallest of each stratum. `labels` has for each classifier the labels of the same
/// images, the first of which has the number `first_image`. Memory: 32 `most` bytes per thread.
ControlDraw draw_control(std::span<const std::span<const std::uint16_t>> labels,
                         std::uint64_t first_image, std::uint64_t seed, std::uint64_t most,
                         int threads);
/// Merges draws of parts of the images.
void merge(ControlDraw& draw, const ControlDraw& other, std::uint64_t most);
/// Takes half of `wanted` from each stratum. If one has too few images, the other gives more.
/// Throws usage if `wanted` does not allow one image from each stratum that has images, because a
/// stratum would then be unknown.
std::array<std::uint64_t, control_strata> control_sizes(const ControlDraw& draw,
                                                        std::uint64_t wanted);

struct ControlWish {
    std::uint64_t images = 0;
    std::string reason;
    std::uint64_t there = 0;  ///< control_images() when the request was checked; only on rank 0
};
/// Draws the sample of a competition, or enlarges it, and writes it (rank 0). Every rank calls it
/// with its part of the labels. Throws as control_is_missing(); busy if another process has drawn a
/// sample since the request was checked.
void sample_control(Competition& competition, const ControlWish& wish,
                    std::span<const std::span<const std::uint16_t>> labels,
                    std::uint64_t first_image, int threads, Comm& comm);
/// True if sample_control() has anything to do. Throws usage for a smaller sample than the existing
/// one, or a larger one with classifiers other than those for which it was drawn. Only on rank 0.
bool control_is_missing(const Competition& competition, std::uint64_t wanted);
/// The number of images of the existing sample.
std::uint64_t control_images(const Competition& competition);

}  // namespace assay::mad
