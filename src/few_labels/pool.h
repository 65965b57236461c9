// The predictions of several classifiers for one pool of images, and what they show about each
// image without labels. They are read in rounds, so that memory does not grow with the pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "assay/progress.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"

namespace assay::few_labels {

/// The predictions of all classifiers for one image.
struct ImagePredictions {
    std::vector<std::int32_t> labels;
    std::vector<double> confidences;
    /// Mean over the founders, and this classifier, of the confidence in this classifier's label.
    std::vector<double> consensus;
    double mean_consensus = 0;  ///< over the founders, as the next ones are
    /// Mean expected variance of correctness and, up to a factor, of the difference of two
    /// classifiers.
    double unsure = 0, apart = 0;
    bool contested = false;  ///< not all labels of the founders are equal
    bool differ = false;     ///< not all labels are equal
};

/// The facts about an image of the pool that determine its stratum.
struct ImageFacts {
    double mean_consensus = 0, unsure = 0, apart = 0;
    bool in_pool = false;  ///< every classifier has a finite confidence
    bool contested = false;
};

class Pool {
public:
    /// Stores must have the same images and classes, be complete and have confidences. Throws
    /// bad_input with the problem, usage if there are none.
    /// The first `founders` classifiers (0: all) decide what is in common to all: strata, and the
    /// consensus about a label. The others change nothing about them.
    explicit Pool(std::vector<PredictionStore> stores, std::size_t founders = 0);

    std::size_t classifiers() const noexcept { return readers_.size(); }
    std::size_t founders() const noexcept { return founders_; }
    /// All rows of the data set, including those that are not in the pool.
    std::uint64_t rows() const noexcept { return stores_.front().rows(); }
    const std::vector<PredictionStore>& stores() const noexcept { return stores_; }
    const Dataset& dataset() const { return stores_.front().dataset(); }
    std::uint32_t classes() const { return stores_.front().classes(); }

    /// Returns false if the image is not in the pool. Thread-safe.
    bool read(std::uint64_t row, ImagePredictions& out) const;

    /// Reads all images: one thread calls `take(first row, facts of the rows)`, in order.
    void for_each_round(int threads, const ProgressCallback& progress, std::string_view step,
                        const std::function<void(std::uint64_t first,
                                                 std::span<const ImageFacts> facts)>& take) const;
    /// Reads all images of the pool: many threads call `add(block's sum, row, predictions)`; then
    /// one thread calls `merge(block's sum)` in the order of the blocks. Results are bit-identical
    /// for any number of threads. `Sum` begins as `zero`.
    template <class Sum, class Add, class Merge>
    void sum(int threads, const ProgressCallback& progress, std::string_view step, const Sum& zero,
             const Add& add, const Merge& merge) const;

private:
    static constexpr std::uint64_t block_rows = 4096, round_blocks = 64;
    void for_blocks(std::uint64_t first, std::size_t blocks, int threads,
                    const std::function<void(std::size_t block, std::uint64_t begin,
                                             std::uint64_t end)>& body) const;

    std::vector<PredictionStore> stores_;
    std::vector<RowReader> readers_;
    std::size_t founders_;
};

template <class Sum, class Add, class Merge>
void Pool::sum(int threads, const ProgressCallback& progress, std::string_view step,
               const Sum& zero, const Add& add, const Merge& merge) const {
    for (std::uint64_t first = 0; first < rows(); first += block_rows * round_blocks) {
        const std::uint64_t left = rows() - first;
        const auto blocks =
            static_cast<std::size_t>(std::min(round_blocks, (left + block_rows - 1) / block_rows));
        std::vector<Sum> sums(blocks, zero);
        for_blocks(first, blocks, threads,
                   [&](std::size_t block, std::uint64_t begin, std::uint64_t end) {
                       ImagePredictions image;
                       for (std::uint64_t row = begin; row < end; ++row)
                           if (read(row, image)) add(sums[block], row, image);
                   });
        for (const Sum& one : sums) merge(one);
        if (progress)
            progress({.step = std::string(step),
                      .done = std::min(rows(), first + blocks * block_rows),
                      .total = rows()});
    }
}

}  // namespace assay::few_labels
