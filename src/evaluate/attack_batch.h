// One attack with one budget on the images of a batch, and its counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/evaluate/attack.h"
#include "store/outcomes.h"

namespace assay::attack {

/// The text in a store for an image that has no usable gradient.
inline constexpr std::string_view no_gradient =
    "no element of its gradient is finite: it cannot be attacked";

/// The definition of one attack with one budget on one model.
struct AttackJob {
    std::string attack;
    std::vector<std::string_view> parts;  ///< own name, or an ensemble's attacks in order
    AttackOptions options;
    bool smallest = false;        ///< Attack::smallest: one job for all budgets
    std::string variant;          ///< "pgd-linf-8_255": the name of its store after MODEL@
    std::filesystem::path store;  ///< its folder
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
};

/// The outcome of a row of scores in the store of the job, which may round them to halves. There is
/// none if the row has no scores, or if `label` is below 0.
RowOutcome outcome_of(const AttackJob& job, std::span<const float> row, std::int32_t label);

/// The counts of a batch, in addition to its scores. They are stored with the shards (counts/<first
/// row>.json in the store), so that a resumed run reports the same as an uninterrupted one.
struct AttackCounts {
    std::uint64_t first_row = 0, rows = 0;
    std::uint64_t attacked = 0, zero_gradients = 0, not_finite = 0, forward = 0, backward = 0;
    std::vector<std::uint64_t> by;  ///< for an ensemble: the number of images that each part was
                                    ///< the first to fool the model on
    /// For a search for the smallest change: its size by row; NaN if the row was not fooled.
    std::vector<double> radii;
};

/// The counts of all batches of a store, by first row. Damaged or missing files are skipped.
std::vector<AttackCounts> counts_of(const std::filesystem::path& store);

/// Adds counts to `cell`, whose `by` names the parts.
void add_counts(const std::vector<AttackCounts>& all, AttackCell& cell);

/// The batch as input of attacks. For gray images, this is only the first plane of each, copied to
/// `planes`.
ImageBatch as_attacked(const ImageBatch& batch, const ImageShape& shape,
                       std::vector<float>& planes);

/// The scores of a batch without an attack, for all the attacks on one model. A thread runs the
/// attacks one after another on the same batch, so only the last batch of each thread is kept.
class CleanScores {
public:
    explicit CleanScores(std::shared_ptr<AttackedModel> model);
    std::span<const float> of(const ImageBatch& batch) const;

private:
    std::shared_ptr<AttackedModel> model_;
    std::uint64_t number_;  ///< unique among all objects ever made: a thread's last batch may
                            ///< belong to another object
};

/// The images of a batch after an attack.
struct AttackedImages {
    std::vector<float> images;           ///< all images of the batch; those not attacked are
                                         ///< unchanged
    std::vector<float> scores;           ///< scores of these images, in this batch
    std::vector<std::uint8_t> attacked;  ///< 1 if it was classified correctly before
    /// Places of images among these that have no usable gradient: they are not attacked, and their
    /// scores have no meaning.
    std::vector<std::size_t> unusable;
    AttackCounts counts;
};

/// Attacks the images of a batch that are classified correctly. Any thread may call it.
class BatchAttack {
public:
    /// Receives the images before their scores are stored.
    using Keep = std::function<void(const ImageBatch& batch, std::span<const float> images)>;

    BatchAttack(std::shared_ptr<AttackedModel> model, std::shared_ptr<const CleanScores> clean,
                const Dataset& dataset, const AttackJob& job, Keep keep = {});

    /// For predict(): computes the scores to store.
    void operator()(const ImageBatch& batch, std::span<float> out) const;
    AttackedImages run(const ImageBatch& batch) const;
    /// The same as run(). The result for the last batch of each thread is kept until the thread
    /// calls this for another batch or another attack, so that several models can use it. Copies of
    /// this object share the results.
    const AttackedImages& last(const ImageBatch& batch) const;
    /// Makes operator() call last().
    void share() { shared_ = true; }

private:
    struct Chosen;
    Chosen correct_ones(const ImageBatch& batch, std::span<const float> scores) const;
    void add_radii(const ImageBatch& batch, const Chosen& chosen,
                   std::span<const std::uint8_t> found, AttackedImages& out) const;

    std::shared_ptr<AttackedModel> model_;
    std::shared_ptr<const CleanScores> clean_;
    const Dataset& dataset_;
    const AttackJob& job_;
    Keep keep_;
    bool shared_ = false;
    std::uint64_t number_;  ///< unique among all objects that were not copied from another
};

}  // namespace assay::attack
