// `--weights`: weights of a store's images from an attribute of the data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/data/dataset.h"
#include "assay/evaluate/score.h"
#include "assay/store/row_reader.h"
#include "evaluate/score_set.h"
#include "evaluate/truth.h"
#include "evaluate/weighted_values.h"

namespace assay {
struct CompareRunsOptions;
}

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
/// The same for a comparison.
void check_weights(const CompareRunsOptions& options);

/// Removes the metrics without a weighted form and notes them. Throws usage if no metric remains.
void keep_weighted(ScoreOptions& options);

/// How much each image moves the value of a metric, for the difference of two models.
struct ItemMoves {
    /// One per row of the store: the change without the image (moved_without()). nan: the image
    /// does not count.
    std::vector<double> of;
    double degrees = std::numeric_limits<double>::infinity();  ///< of freedom, at most
    double noise = 0;                                          ///< as in Influenced
    std::string no_interval;                                   ///< the reason why there is none
};

/// Replaces the values of a set that was scored from the same arguments without weights. All ranks
/// do the same. Reads the rows once more, and again for metrics that need it. Memory: 160 to 200
/// bytes per image, with areas under curves 600 and 60 for each thread.
class Weigher {
public:
    /// Everything is kept by reference.
    Weigher(ScoredSet& set, const ImageWeights& weights, const RowReader& reader,
            const Truth& truth, const ScoreOptions& options, Comm& comm);

    /// Replaces the value of metric `i`. `moves`, if it is wanted: of a metric with a value.
    void weigh(std::size_t i, ItemMoves* moves = nullptr);
    /// How many images count.
    std::string note() const;

private:
    Estimate estimate_of(const MetricRequest& request, ItemMoves* moves) const;

    ScoredSet& set_;
    const ImageWeights& weights_;
    const RowReader& reader_;
    const Truth& truth_;
    const ScoreOptions& options_;
    Comm& comm_;
    const std::vector<WeightedImage> images_;
};

/// Replaces all values, and notes how many images count.
void weigh(ScoredSet& set, const ImageWeights& weights, const RowReader& reader, const Truth& truth,
           const ScoreOptions& options, Comm& comm);

}  // namespace assay::evaluate
