// Which images of a competition people are asked about: for each pair of classifiers those on which
// they disagree most, and a random sample of all images beside them.
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
    /// Images of each pair from now on, as Competition::set_k(); unset: as many as before.
    std::optional<std::uint32_t> k;
    /// Where the images are from now on, as Competition::set_image_root(); "": where they were.
    std::filesystem::path images;
    /// csv, columns image (an id) and perhaps reason: images that are never candidates (drawings,
    /// collages, ...). "": no further ones. One that is accepted already is replaced.
    std::filesystem::path exclude;
    /// Images of the control sample: a random sample of all images, from which follows what each
    /// classifier's accuracy is, which selected images say nothing about. Half of them are drawn
    /// where all classifiers (that have scores of an image) agree, half where they do not; images
    /// that none has scores of are not drawn. 0: no further ones. Drawn once; a larger number later
    /// adds images to it, as long as the classifiers are those that it was drawn with.
    std::uint64_t control = 0;
    std::string reason;
    int threads = 0;
};

struct PairSelection {
    std::string first, second;
    std::uint64_t candidates = 0, disagreeing = 0;
    std::uint32_t wanted = 0, selected = 0;
    std::uint32_t added = 0;       ///< by this round
    std::uint32_t replaced = 0;    ///< people could not judge them, or they were excluded; in all
    std::uint32_t duplicates = 0;  ///< nearly the same as one before them; in all
};
ResultType result_type(ResultOf<PairSelection>);

struct SelectionRound {
    CompetitionSettings settings;
    std::vector<PairSelection> pairs;  ///< of active classifiers, by their order
    std::uint64_t images = 0;          ///< of the competition
    std::uint64_t scored = 0;          ///< of these, with scores of every active classifier
    std::uint64_t excluded = 0;
    std::uint64_t accepted = 0;   ///< accepted places over the pairs
    std::uint64_t distinct = 0;   ///< different images among them
    std::uint64_t questions = 0;  ///< different (image, label) of the accepted places
    std::uint64_t control = 0;    ///< images of the control sample
    std::uint64_t scanned = 0;    ///< pairs that this round looked for images of
    std::vector<std::string> warnings;
};

/// Selects what is missing: pairs of new classifiers, images in place of those that people could
/// not judge or that were excluded, more images after set_k(). Accepted images of other pairs stay
/// as they are, to the bit, whatever is added or removed. The same for any number of threads and
/// ranks; every rank calls it, and rank 0's competition is written. Images that a classifier has no
/// scores of are never candidates of its pairs. Cost: one pass over the predictions of the
/// classifiers concerned (3 bytes an image and classifier). Progress: images.
/// Throws usage: an image to exclude that is not there (with the nearest); bad_input: damaged
/// predictions, unreadable images where near duplicates are looked for; what
/// Competition::set_k(), set_image_root() and a control sample that cannot change throw.
SelectionRound select_images(Competition& competition, const SelectOptions& options, Comm& comm,
                             const ProgressCallback& progress = {});

/// "assay.mad_selection/1", docs/results.md.
ResultType result_type(ResultOf<SelectionRound>);
Report report_of(const SelectionRound& round);

}  // namespace assay::mad
