// Batches through a model whose process may end: an image that ends it is found and left out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
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
/// fails otherwise (the process ended, took too long, or raised an error, or one image needs more
/// memory than there is) is computed once more, alone in a new process. If it fails again, it is
/// halved down to the images that fail, and computed whole without them: another image of the batch
/// takes the place of each, so that the others get the bits of a whole batch. Thread-safe.
class BatchRunner {
public:
    /// LoadedModel::scores.
    using Instead = std::function<void(const ImageBatch& batch, std::span<float> out)>;

    /// `model` outlives this.
    explicit BatchRunner(const LoadedModel& model);
    /// Both outlive this. `instead`: gives the scores in the classifier's place; it leaves images
    /// alone whose state is not ok. Empty: nothing does.
    BatchRunner(Classifier& classifier, std::string name, const Instead& instead);

    /// The scores of a batch; those of failed images, which are returned in order, mean nothing.
    /// Throws what the classifier throws where it is no fault of single images: every image fails,
    /// or more than most_failed_images, or the process can be started no more.
    std::vector<FailedImage> run(const ImageBatch& batch, std::span<float> out);

    /// How often a batch was halved for want of memory.
    std::uint64_t halved() const { return halved_; }
    /// Which images failed, how often the process was started again, and how many batches failed
    /// whole and were computed in parts.
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
    /// The same by the classifier itself, whatever computes in its place.
    bool classifier_computes(const ImageBatch& batch);
    bool attempted(const std::function<void()>& work);
    void start_again();
    /// Whether the proof can be computed; while there is none, zeros of the size of these images.
    bool still_works(const ImageBatch& like);

    Classifier& classifier_;
    const std::string name_;
    const Instead& instead_;
    isolated::Supervised* const supervised_;  ///< null: it computes in this process
    isolated::BatchGate own_gate_;
    isolated::BatchGate& gate_;
    std::atomic<std::uint64_t> halved_{0};
    std::atomic<std::uint64_t> in_parts_{0};  ///< batches that failed whole, not for want of memory
    std::atomic<int> in_a_row_{0};
    std::atomic<bool> has_proof_{false};
    mutable std::mutex mutex_;  ///< of what follows
    std::optional<Proof> proof_;
    std::vector<FailedImage> failed_;
    int restarts_ = 0;
    // Of whoever is alone.
    FailedImage last_;
    bool last_raised_ = false;       ///< an error, with the process as it was and memory enough
    std::optional<Error> given_up_;  ///< why: all that wait say the same
};

}  // namespace assay::prediction
