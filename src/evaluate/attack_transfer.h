// Images that an attack made on one model, classified by the other models of the same run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/evaluate/attack.h"
#include "evaluate/attack_batch.h"
#include "store/outcomes.h"

namespace assay::attack {

/// Throws usage if the images of one model cannot be passed to another: for fewer than two models,
/// models that take different pixels, the space normalised-clamped, and attacks without a budget.
void check_transfer(std::span<const LoadedModel> models, const AttackRunOptions& options,
                    std::span<const std::string> attacks);
/// The batch size of all models; throws usage if they ran in batches of different sizes. The images
/// of an attack depend on the batch by the rounding of floats, so each model must get them from the
/// same batches.
std::uint32_t same_batch_size(std::span<const LoadedModel> models,
                              std::span<const PredictResult> clean);

/// Outcomes by image. `source` and `target` are those without an attack. The others are those on
/// the images that were made on the source.
struct TransferOutcomes {
    std::span<const RowOutcome> source, target, source_attacked, target_attacked;
};
/// Fills the counts and estimates. An image that the source misclassifies is unchanged, so the
/// target keeps its outcome. `level` is as in AttackRunOptions.
void fill_transfer(TransferredAttack& cell, const TransferOutcomes& outcomes, double level);

/// Compares the attack of the target itself with images that were made on another model. The own
/// attack sees the target's gradient, so it should fool what the others fool (Athalye et al. 2018,
/// section 3.1).
struct OwnAgainstOthers {
    std::string text;          ///< "pgd at 8/255 on a"
    std::uint64_t images = 0;  ///< that both models classify correctly
    std::uint64_t bad = 0;     ///< images that only the other model's images fool
    std::uint64_t good = 0;    ///< images that only the own attack fools
};
OwnAgainstOthers own_against_others(const TransferOutcomes& outcomes,
                                    std::span<const RowOutcome> own_attack, std::string text);
/// The sign `transferred` of masked gradients: exact McNemar tests with p < .001, adjusted by Holm.
MaskingSign transferred_sign(std::span<const OwnAgainstOthers> all);
/// Replaces the sign of this name unless only the old one was found, and derives the verdict from
/// all signs again.
void put_sign(AttackControl& control, MaskingSign sign);

/// An attack with one budget whose images all other models classify.
struct PassedAttack {
    std::size_t source = 0;  ///< place of the model in the run
    std::size_t job = 0;     ///< place of the attack in the jobs of the model
    std::size_t own = 0;     ///< place of the attack in the jobs of all models
    const AttackJob* attack = nullptr;
    BatchAttack made;
    std::string definition;  ///< of the attack's own store, as JSON
};

/// All transfers of a run. Without AttackRunOptions::transfer, it has none.
class Transfers {
public:
    /// Both must outlive this object.
    Transfers(std::span<const LoadedModel> models, const AttackRunOptions& options)
        : models_(models), options_(options) {}

    /// In the order of `own`.
    void add(PassedAttack attack) { attacks_.push_back(std::move(attack)); }

    /// The models of the jobs, with the transfers of each job after it. A thread then runs them on
    /// the same batch one after another, so that the images of a batch are made once.
    std::vector<LoadedModel> put_in(std::vector<LoadedModel> jobs,
                                    std::span<const std::shared_ptr<AttackedModel>> pixels) const;
    /// Keeps the results of the transfers, and returns the others.
    std::vector<PredictResult> taken_out(std::vector<PredictResult> results);
    /// Tells the outcomes of the next model, its result without an attack and those of its jobs.
    void know(const PredictResult& clean, std::vector<RowOutcome> before,
              std::vector<std::vector<RowOutcome>> after, std::span<const PredictResult> jobs);
    /// Fills AttackedResult::transferred, and adds the sign `transferred` to the verdicts.
    void fill(std::vector<AttackedResult>& results) const;

private:
    struct Known {
        std::filesystem::path clean;  ///< store without an attack
        std::vector<RowOutcome> before;
        std::vector<std::vector<RowOutcome>> after;  ///< by job
        std::vector<PredictResult> jobs;
    };
    TransferredAttack cell_of(const PassedAttack& attack, std::size_t target,
                              const PredictResult& stored,
                              std::vector<OwnAgainstOthers>& against) const;

    std::span<const LoadedModel> models_;
    const AttackRunOptions& options_;
    std::vector<PassedAttack> attacks_;
    std::vector<PredictResult> stored_;  ///< by attack and target
    std::vector<Known> known_;           ///< by model
};

}  // namespace assay::attack
