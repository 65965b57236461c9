// Batches through a model whose process may end: an image that ends it is found and left out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/error.h"
#include "assay/evaluate/predict.h"
#include "model/isolated/supervised.h"

namespace assay::prediction {

/// Images of a run that a model may leave without a score. A model that needs more is broken.
inline constexpr std::size_t most_failed_images = 16;
/// That fail one after the other, before one that was computed is tried once more.
inline constexpr int most_in_a_row = 3;
/// New processes of a model in a run.
inline constexpr int most_restarts = 200;

/// An image that the model cannot compute.
struct FailedImage {
    std::uint64_t row = 0;
    std::string why;   ///< the same words each time
    std::string said;  ///< the last line of the process, if it ended; "": none
};

/// The batches of one model in one run. A batch that does not fit in memory is halved. A batch that
/// fails otherwise (the process ended, took too long, or raised an error) is computed once more,
/// alone in a new process. If it fails again, it is halved down to the images that fail, and
/// computed whole without them: another image of the batch takes the place of each, so that the
/// others get the bits of a whole batch. Thread-safe.
class BatchRunner {
public:
    /// `model` outlives this.
    explicit BatchRunner(const LoadedModel& model);

    /// The scores of a batch; those of failed images, which are returned in order, mean nothing.
    /// Throws what the classifier throws where it is no fault of single images: every image fails,
    /// or more than most_failed_images, or the process can be started no more.
    std::vector<FailedImage> run(const ImageBatch& batch, std::span<float> out);

    /// Batches that were computed in parts.
    std::uint64_t halved() const { return halved_; }
    /// Which images failed, and how often the process was started again.
    std::vector<std::string> notes(const Dataset& dataset) const;

private:
    /// One image that was computed, to see whether the model still works.
    struct Proof {
        std::vector<float> input;
        std::vector<std::uint8_t> bytes;
        ByteValues values{};
        ImageBatch batch() const;
    };
    class Search;

    void compute(const ImageBatch& batch, std::span<float> out);
    void keep_proof(const ImageBatch& batch);
    /// Only while alone: false, with the reason, where the batch failed.
    bool attempt(const ImageBatch& batch, std::span<float> out);
    void start_again();
    /// Whether the proof can be computed; while there is none, zeros of the size of these images.
    bool still_works(const ImageBatch& like);

    const LoadedModel& model_;
    isolated::Supervised* const supervised_;  ///< null: it computes in this process
    isolated::BatchGate own_gate_;
    isolated::BatchGate& gate_;
    std::atomic<std::uint64_t> halved_{0};
    std::atomic<int> in_a_row_{0};
    std::atomic<bool> has_proof_{false};
    mutable std::mutex mutex_;  ///< of what follows
    std::optional<Proof> proof_;
    std::vector<FailedImage> failed_;
    int restarts_ = 0;
    // Of whoever is alone.
    FailedImage last_;
    std::optional<Error> given_up_;  ///< why: all that wait say the same
};

}  // namespace assay::prediction
