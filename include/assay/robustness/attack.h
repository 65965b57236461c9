// Adversarial attacks: images changed within a budget so that a classifier errs.
//
// An image is a vector of numbers in a box, [0, 1]: pixels between the crop and the normalisation,
// so that a budget of 8/255 means eight grey levels for every model. Results depend on the model,
// the batch, the options and the items' numbers alone: not on threads, and the random draws of an
// image not on the others of its batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assay/model/classifier.h"
#include "assay/model/loss.h"

namespace assay {

/// How the size of a change is measured: its largest element, or its Euclidean length.
enum class Norm { linf, l2 };
std::string_view name_of(Norm);

struct ImageShape {
    std::size_t channels = 3, height = 0, width = 0;
    std::size_t size() const { return channels * height * width; }
};

/// What an attack sees of a classifier. All calls may come from many threads at once.
class AttackedModel {
public:
    virtual ~AttackedModel() = default;
    virtual ImageShape shape() const = 0;
    virtual std::uint32_t classes() const = 0;
    /// images: n x shape().size(); out: n x classes().
    virtual void scores(std::span<const float> images, std::size_t n, std::span<float> out) = 0;
    /// batch.input are images; the gradient is by their numbers.
    virtual void gradients(const LossBatch& batch, const LossGradients& out) = 0;
};

struct AttackBatch {
    std::span<const float> images;          ///< n x shape().size(), each in [0, 1]
    std::span<const std::uint32_t> labels;  ///< n
    std::span<const std::uint64_t> items;   ///< n: what an image's random draws are keyed by
};

struct AttackOptions {
    double eps = 8.0 / 255;  ///< budget, in the unit of the images; at least 0
    Norm norm = Norm::linf;
    int steps = 0;              ///< 0: the attack's own number
    double step_size = 0;       ///< of pgd; 0: eps / 4 (linf), eps / 5 (l2)
    bool random_start = true;   ///< of pgd
    std::uint32_t targets = 9;  ///< of the targeted attacks: classes that scored best on the image
    /// run_attack() classifies what an attack claims once more. False for a caller who does so
    /// himself: `fooled` is then the attack's claim.
    bool verify = true;
    bool smallest = false;  ///< fab-t goes on for the smallest change, beyond the budget too
    std::uint64_t seed = 0;
};

/// What an attack did to the images of a batch.
struct AttackResult {
    /// n x shape().size(): within the budget and the box. Where the attack failed: the last image
    /// that it tried (pgd, fgsm, noise), or the original.
    std::vector<float> images;
    std::vector<std::uint8_t> fooled;  ///< n: 1 where the model misclassifies the image above
    std::uint64_t forward = 0;         ///< images that went through the model
    std::uint64_t backward = 0;        ///< ... of these, with a gradient
    /// n: 1 for images whose first gradient was zero everywhere; for those whose scores or loss, or
    /// elements of whose gradient, were not finite at some step. Signs that the gradient hides what
    /// the model does. An element that is not finite counts as 0.
    std::vector<std::uint8_t> zero_gradient, not_finite;
    /// n: 1 for images whose scores are finite and whose first gradient has no finite element, or
    /// whose loss is not finite: the attack could not begin. Of an ensemble: no part could.
    std::vector<std::uint8_t> unusable;
};

/// One attack, all that is special about it.
struct Attack {
    std::string_view name;    ///< "apgd-ce"
    std::string_view source;  ///< the paper
    bool gradients;           ///< needs the model's
    bool l2;                  ///< offered for Norm::l2, too
    int steps;                ///< unless told otherwise: iterations, or queries an image
    AttackResult (*run)(AttackedModel& model, const AttackBatch& batch,
                        const AttackOptions& options);
};

/// noise, fgsm, pgd, apgd-ce, apgd-dlr, apgd-t, fab-t, square.
std::span<const Attack> attacks();
/// Throws usage with the names that there are.
const Attack& attack_named(std::string_view name);

/// Runs the attack. Every image that is reported as fooling the model has been classified once
/// more, as it is returned (unless options.verify is false). Throws usage (no such norm for this
/// attack, eps below 0 or not finite), the model's errors, interrupted.
AttackResult run_attack(const Attack& attack, AttackedModel& model, const AttackBatch& batch,
                        const AttackOptions& options);

/// The attacks of AutoAttack's standard version, in order; each sees only what the ones before it
/// left (Croce and Hein, ICML 2020).
std::span<const std::string_view> autoattack_parts();

/// What each attack of an ensemble did.
struct EnsembleResult {
    AttackResult result;
    /// n: place in the ensemble of the attack that fooled the model; -1: none did.
    std::vector<int> by;
};
EnsembleResult run_ensemble(std::span<const std::string_view> names, AttackedModel& model,
                            const AttackBatch& batch, const AttackOptions& options);

}  // namespace assay
