// Accuracy so far, while images go through models.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "assay/data/dataset.h"
#include "assay/estimate.h"
#include "assay/store/prediction_store.h"

namespace assay::evaluate {

/// Images with a label.
std::uint64_t count_labelled(const Dataset& dataset);

/// Counts by batch. Batches in an order drawn at random are a sample of all batches, so the
/// interval is that of a cluster sample (ratio estimator with the finite population's correction:
/// Cochran 1977, Sampling Techniques, 6.4 and 9A). Thread-safe.
class RunningAccuracy {
public:
    /// `all`: labelled images in all; `random`: batches come in an order drawn at random.
    RunningAccuracy(std::uint64_t all, bool random) : all_(all), random_(random) {}

    void add(std::uint64_t correct, std::uint64_t images);
    /// Undefined before the first labelled image; with an interval from 30 batches on, once batches
    /// differ.
    Estimate estimate() const;
    /// "81.2 % ±1.9", "" before the first labelled image. `all_here`: no earlier run has done some
    /// of the images; else there is no interval, because this run sees the others alone.
    std::string text(bool all_here = true) const;

private:
    mutable std::mutex mutex_;
    std::uint64_t all_;
    bool random_;
    std::uint64_t batches_ = 0, images_ = 0, correct_ = 0;
    std::uint64_t square_correct_ = 0, square_images_ = 0, products_ = 0;  ///< sums over batches
};

/// How many of a batch's labelled images are correct: rows [first, first + states.size()).
struct BatchCount {
    std::uint64_t correct = 0, images = 0;
};
BatchCount count_batch(const Dataset& dataset, std::uint64_t first,
                       std::span<const RowState> states, std::span<const float> scores);

}  // namespace assay::evaluate
