// Selects the images about which people are asked. For each pair of classifiers, these are the
// images on which they disagree most. Additionally, draws a random sample of all images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/mad/competition.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay::mad {

struct SelectOptions {
    /// The number of images per pair from now on, as in Competition::set_k(); unset keeps it.
    std::optional<std::uint32_t> k;
    /// The folder of the images from now on, as in Competition::set_image_root(); "" keeps it.
    std::filesystem::path images;
    /// csv with columns image (an id) and optionally reason: images that are never candidates
    /// (drawings, collages, ...). "" adds none. An image that is accepted already is replaced.
    std::filesystem::path exclude;
    /// The size of the control sample: a random sample of all images, which measures each
    /// classifier's accuracy, because selected images cannot. Half of it is drawn where all
    /// classifiers with scores agree, and half where they do not. Images without any scores are not
    /// drawn. 0 draws no more. It is drawn once. A larger number later adds images, as long as the
    /// classifiers are those for which it was drawn.
    std::uint64_t control = 0;
    std::string reason;
    int threads = 0;
};

struct PairSelection {
    std::string first, second;
    std::uint64_t candidates = 0, disagreeing = 0;
    std::uint32_t wanted = 0, selected = 0;
    std::uint32_t added = 0;       ///< images added by this round
    std::uint32_t replaced = 0;    ///< images that people could not judge or that were excluded
    std::uint32_t duplicates = 0;  ///< all images that were nearly the same as an earlier one
};
ResultType result_type(ResultOf<PairSelection>);

struct SelectionRound {
    CompetitionSettings settings;
    std::vector<PairSelection> pairs;  ///< pairs of active classifiers, in their order
    std::uint64_t images = 0;          ///< images of the competition
    std::uint64_t scored = 0;          ///< images that have scores of every active classifier
    std::uint64_t excluded = 0;
    std::uint64_t accepted = 0;   ///< accepted places over all pairs
    std::uint64_t distinct = 0;   ///< distinct images of the accepted places
    std::uint64_t questions = 0;  ///< distinct pairs (image, label) of the accepted places
    std::uint64_t control = 0;    ///< images of the control sample
    std::uint64_t scanned = 0;    ///< pairs for which this round searched images
    std::vector<std::string> warnings;
};

/// Selects what is missing: images for pairs of new classifiers, and more images after set_k().
/// Also replaces images that people could not judge or that were excluded. Accepted images of other
/// pairs stay bit-identical, whatever is added or removed. The result does not depend on the number
/// of threads and ranks. Every rank calls it, and rank 0 writes the competition. Images without
/// scores from a classifier are never candidates of its pairs. Cost: one pass over the predictions
/// of the classifiers concerned (3 bytes per image and classifier). Progress: images. Throws usage
/// for an image to exclude that does not exist (with the nearest). Throws bad_input for damaged
/// predictions, and for unreadable images if near duplicates are compared. Also throws as
/// Competition::set_k() and set_image_root(), and usage for a control sample that cannot change.
SelectionRound select_images(Competition& competition, const SelectOptions& options, Comm& comm,
                             const ProgressCallback& progress = {});

/// Schema "assay.mad_selection/1", see docs/results.md.
ResultType result_type(ResultOf<SelectionRound>);
Report report_of(const SelectionRound& round);

}  // namespace assay::mad
