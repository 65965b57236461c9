// Adversarial images as files: they are written with the stores, read back, checked and classified.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/evaluate/attack.h"
#include "core/memory_budget.h"
#include "data/made_folder.h"
#include "evaluate/attack_batch.h"
#include "evaluate/attack_examples.h"
#include "evaluate/attack_files.h"
#include "store/outcomes.h"

namespace assay::attack {

/// The attacks of one model.
class AttackImages {
public:
    /// `definitions` are those of the jobs, as JSON. Continues an existing folder or begins it;
    /// throws usage if it contains something else. All arguments must outlive this.
    AttackImages(const LoadedModel& model, std::shared_ptr<AttackedModel> pixels,
                 const Dataset& dataset, std::vector<const AttackJob*> jobs,
                 const AttackRunOptions& options, const std::vector<std::string>& definitions);

    /// Writes the images of a batch: BatchAttack::Keep for a job. Thread-safe.
    void write(const AttackJob& job, const ImageBatch& batch, std::span<const float> images) const;

    /// Called after the stores are complete: reads every image back. An image that is missing, or
    /// is not a possible result of its attack, is made again. Then the folder gets its final name.
    /// Results are per job, and so are `attacked` and the batch sizes of the stores.
    std::vector<SavedAttack> finish(const std::vector<RowOutcome>& clean,
                                    std::span<const std::vector<RowOutcome>> attacked,
                                    std::span<const std::uint32_t> batch_sizes,
                                    const ProgressCallback& callback);

    /// After finish(): the file that shows some of the images; "" if there is none.
    std::filesystem::path examples() const;

private:
    struct Batch;
    AttackFile file_of(const AttackJob& job) const;
    std::filesystem::path path_of(const AttackJob& job, std::uint64_t item) const;
    Batch load(std::uint64_t first, std::size_t n, MemoryBudget& memory) const;
    /// Returns false if an image is missing or is not a possible result of the attack.
    bool read_all(const AttackJob& job, const ImageBatch& batch, std::vector<float>& images) const;
    /// Computes the scores of the files of a batch.
    void classify(const AttackJob& job, const std::shared_ptr<const CleanScores>& clean,
                  const ImageBatch& batch, std::span<float> scores) const;
    /// Offers the images of a batch that fooled the model under attack `j`, with the scores of
    /// their files. `fails` means that the batch has an image that the model cannot compute.
    void offer(std::size_t j, const std::vector<RowOutcome>& clean,
               const std::vector<RowOutcome>& outcomes, const CleanScores& clean_scores,
               const ImageBatch& batch, bool fails, std::span<const float> scores,
               AttackExamples& examples) const;
    void write_examples(const AttackExamples& examples, MemoryBudget& memory) const;

    const LoadedModel& model_;
    std::shared_ptr<AttackedModel> pixels_;
    const Dataset& dataset_;
    std::vector<const AttackJob*> jobs_;
    const AttackRunOptions& options_;
    ImageShape shape_;
    StringColumn names_;
    nlohmann::json settings_;
    MadeFolder folder_;
};

}  // namespace assay::attack
