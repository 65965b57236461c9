// `--weights`: weights of a store's images from an attribute of the data set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/data/dataset.h"
#include "assay/evaluate/score.h"
#include "assay/store/row_reader.h"
#include "evaluate/score_set.h"
#include "evaluate/truth.h"

namespace assay::evaluate {

struct ImageWeights {
    std::vector<double> of;     ///< one per image, finite and >= 0; 0 excludes the image
    std::uint64_t zero = 0;     ///< images with a weight of 0
    std::uint64_t without = 0;  ///< images without a weight
};
/// By `options.weights` or `options.item_weights`. Throws usage: no such attribute, both of them,
/// no image with a weight above 0; bad_input: a value that is no number from 0, with the image, and
/// another number of weights than images.
ImageWeights weights_by(const Dataset& dataset, const ScoreOptions& options);

/// Throws usage for what does not go with weights, and for named metrics and gates that
/// have no weighted form.
void check_weights(const ScoreRunsOptions& options, const ScoreShown& shown);

/// Removes the metrics without a weighted form and notes them. Throws usage if no metric remains.
void keep_weighted(ScoreOptions& options);

/// Replaces the values in `set`, which was scored from the same arguments without weights. Notes
/// how many images count. Reads the rows once more. Memory: 160 to 200 bytes per
/// image, with areas under curves 600 and 60 for each thread.
void weigh(ScoredSet& set, const ImageWeights& weights, const RowReader& reader, const Truth& truth,
           const ScoreOptions& options, Comm& comm);

}  // namespace assay::evaluate
