// Runs batches through a model whose process may end: it finds and skips an image that ends the
// process.
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

/// Number of images of a run that a model may leave without a score. A model that needs more is
/// broken.
inline constexpr std::size_t most_failed_images = 16;
/// Number of consecutive failures before an image that was computed is tried once more.
inline constexpr int most_in_a_row = 3;
/// Maximum number of new processes for a model in a run.
inline constexpr int most_restarts = 200;

/// An image that the model cannot compute.
struct FailedImage {
    std::uint64_t row = 0;
    std::string why;   ///< the same text each time
    std::string said;  ///< last output line of the process, if it ended
};

/// The batches of one model in one run. A batch that does not fit in memory is halved. A batch that
/// fails otherwise is computed once more, alone in a new process. It fails if the process ends,
/// takes too long or raises an error, or if one image needs too much memory. If the batch fails
/// again, it is halved down to the images that fail. It is then computed whole, with another image
/// of the batch in place of each failed one. The other images thus get the same bits as in a whole
/// batch. Thread-safe.
class BatchRunner {
public:
    /// LoadedModel::scores.
    using Instead = std::function<void(const ImageBatch& batch, std::span<float> out)>;

    /// `model` must outlive this object.
    explicit BatchRunner(const LoadedModel& model);
    /// Both must outlive this object. `instead`, unless empty, replaces the classifier and ignores
    /// images whose state is not ok.
    BatchRunner(Classifier& classifier, std::string name, const Instead& instead);

    /// Computes the scores of a batch. Failed images are returned in order, and their scores have
    /// no meaning. Throws the classifier's errors unless single images cause them: every image or
    /// more than most_failed_images fail, or the process cannot be restarted.
    std::vector<FailedImage> run(const ImageBatch& batch, std::span<float> out);

    /// The number of times that a batch was halved because memory was short.
    std::uint64_t halved() const { return halved_; }
    /// Notes on failed images, on restarts of the process, and on batches that failed as a whole
    /// and were computed in parts.
    std::vector<std::string> notes(const Dataset& dataset) const;

private:
    /// An image that was computed successfully, for testing whether the model still works.
    struct Proof {
        std::vector<float> input;
        std::vector<std::uint8_t> bytes;
        ByteValues values{};
        ImageBatch batch() const;
    };
    class Search;

    void compute(const ImageBatch& batch, std::span<float> out);
    void keep_proof(const ImageBatch& batch);
    /// Call it only while running alone: returns false, with the reason, if the batch failed.
    bool attempt(const ImageBatch& batch, std::span<float> out);
    /// The same with the classifier itself, even if `instead` replaces it.
    bool classifier_computes(const ImageBatch& batch);
    bool attempted(const std::function<void()>& work);
    void start_again();
    /// True if the proof image can be computed. Without one, uses zeros with the size of these
    /// images.
    bool still_works(const ImageBatch& like);

    Classifier& classifier_;
    const std::string name_;
    const Instead& instead_;
    isolated::Supervised* const supervised_;  ///< nullptr if it computes in this process
    isolated::BatchGate own_gate_;
    isolated::BatchGate& gate_;
    std::atomic<std::uint64_t> halved_{0};
    /// batches that failed as a whole, for reasons other than memory
    std::atomic<std::uint64_t> in_parts_{0};
    std::atomic<int> in_a_row_{0};
    std::atomic<bool> has_proof_{false};
    mutable std::mutex mutex_;  ///< protects the members below
    std::optional<Proof> proof_;
    std::vector<FailedImage> failed_;
    int restarts_ = 0;
    // Only the thread that runs alone uses these.
    FailedImage last_;
    bool last_raised_ = false;       ///< it raised an error, in the same process and with enough
                                     ///< memory
    std::optional<Error> given_up_;  ///< the reason, which all waiting threads throw
};

}  // namespace assay::prediction
