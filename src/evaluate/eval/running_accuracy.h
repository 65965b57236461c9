// The accuracy so far, while models compute images.
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

/// The number of images with a label.
std::uint64_t count_labelled(const Dataset& dataset);

/// Counts per batch. Batches in a random order are a sample of all batches, so the interval is that
/// of a cluster sample. It uses the ratio estimator with the finite population's correction
/// (Cochran 1977, Sampling Techniques, 6.4 and 9A). Thread-safe.
class RunningAccuracy {
public:
    /// `all` is the total number of labelled images; `random` means that batches arrive in a random
    /// order.
    RunningAccuracy(std::uint64_t all, bool random) : all_(all), random_(random) {}

    void add(std::uint64_t correct, std::uint64_t images);
    /// Undefined before the first labelled image. It has an interval from 30 batches on, if they
    /// differ.
    Estimate estimate() const;
    /// "81.2 % ±1.9" or "99.1 % (97.9 – 100.0)", or "" before the first labelled image. `all_here`
    /// means that no earlier run has processed some of the images; otherwise there is no interval,
    /// because this run only sees the others.
    std::string text(bool all_here = true) const;

private:
    mutable std::mutex mutex_;
    std::uint64_t all_;
    bool random_;
    std::uint64_t batches_ = 0, images_ = 0, correct_ = 0;
    std::uint64_t square_correct_ = 0, square_images_ = 0, products_ = 0;  ///< sums over batches
};

/// The number of correct images among a batch's labelled ones: rows [first, first + states.size()).
struct BatchCount {
    std::uint64_t correct = 0, images = 0;
};
BatchCount count_batch(const Dataset& dataset, std::uint64_t first,
                       std::span<const RowState> states, std::span<const float> scores);

}  // namespace assay::evaluate
