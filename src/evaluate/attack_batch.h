// One attack with one budget on the images of a batch, and what is counted of it.
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

/// What a store says of an image that has no usable gradient.
inline constexpr std::string_view no_gradient =
    "no element of its gradient is finite: it cannot be attacked";

/// What one attack with one budget on one model is.
struct AttackJob {
    std::string attack;
    std::vector<std::string_view> parts;  ///< its own name, or an ensemble's attacks in order
    AttackOptions options;
    std::string variant;          ///< "pgd-linf-8_255": what its store is called, after MODEL@
    std::filesystem::path store;  ///< its folder
    ScoreKind kind = ScoreKind::logits;
    StorageFormat storage = StorageFormat::full_f32;
};

/// What the store of the job says of a row of scores: none where it does not store them as such, or
/// `label` is below 0.
RowOutcome outcome_of(const AttackJob& job, std::span<const float> row, std::int32_t label);

/// What is counted of a batch, beside its scores. Kept with the shards (counts/<first row>.json in
/// the store), so that a run that is resumed reports what an uninterrupted one does.
struct AttackCounts {
    std::uint64_t first_row = 0, rows = 0;
    std::uint64_t attacked = 0, zero_gradients = 0, not_finite = 0, forward = 0, backward = 0;
    std::vector<std::uint64_t> by;  ///< of an ensemble: images that each part was the first to fool
};

void write_counts(const std::filesystem::path& store, const AttackCounts& counts);
/// Adds those of all the batches of a store to `cell`, whose `by` names the parts. Files that are
/// damaged or absent count nothing.
void add_counts(const std::filesystem::path& store, AttackCell& cell);

/// The batch as attacks see it: of gray images, the first plane of each, which `planes` holds then.
ImageBatch as_attacked(const ImageBatch& batch, const ImageShape& shape,
                       std::vector<float>& planes);

/// The scores of a batch without an attack, for all the attacks of one model: a thread runs them
/// one after another on the same batch, so the last batch of each thread is all that is kept.
class CleanScores {
public:
    explicit CleanScores(std::shared_ptr<AttackedModel> model);
    std::span<const float> of(const ImageBatch& batch) const;

private:
    std::shared_ptr<AttackedModel> model_;
    std::uint64_t number_;  ///< among all that ever were: what a thread keeps may be another's
};

/// The images of a batch after an attack.
struct AttackedImages {
    std::vector<float> images;           ///< all of the batch; those not attacked are as they were
    std::vector<float> scores;           ///< of these, in this batch
    std::vector<std::uint8_t> attacked;  ///< 1: classified correctly before
    /// Of these, places of images without a usable gradient: they are not attacked, and their
    /// scores say nothing.
    std::vector<std::size_t> unusable;
    AttackCounts counts;
};

/// Attacks the images of a batch that are classified correctly. From any thread.
class BatchAttack {
public:
    /// What to do with the images, before their scores are stored.
    using Keep = std::function<void(const ImageBatch& batch, std::span<const float> images)>;

    BatchAttack(std::shared_ptr<AttackedModel> model, std::shared_ptr<const CleanScores> clean,
                const Dataset& dataset, const AttackJob& job, Keep keep = {});

    /// For predict(): the scores that are stored.
    void operator()(const ImageBatch& batch, std::span<float> out) const;
    AttackedImages run(const ImageBatch& batch) const;

private:
    struct Chosen;
    Chosen correct_ones(const ImageBatch& batch, std::span<const float> scores) const;

    std::shared_ptr<AttackedModel> model_;
    std::shared_ptr<const CleanScores> clean_;
    const Dataset& dataset_;
    const AttackJob& job_;
    Keep keep_;
};

}  // namespace assay::attack
