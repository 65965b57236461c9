// Adversarial attacks: images are changed within a budget so that a classifier makes an error.
//
// An image is a vector of numbers in a box, [0, 1]. The numbers are pixels between the crop and the
// normalisation, so that a budget of 8/255 means eight gray levels for every model. Results depend
// only on the model, the batch, the options and the items' numbers. They do not depend on threads.
// The random draws of an image do not depend on the other images of its batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/model/classifier.h"
#include "assay/model/loss.h"

namespace assay {

/// The measure of the size of a change.
enum class Norm {
    linf,  ///< its largest element
    l2,    ///< its Euclidean length
    l1,    ///< the sum of its elements' sizes
    l0,    ///< the number of elements that are not 0 (a pixel has one for each channel)
};
std::string_view name_of(Norm);

struct ImageShape {
    std::size_t channels = 3, height = 0, width = 0;
    std::size_t size() const { return channels * height * width; }
};

/// The interface of a classifier for an attack. All functions may be called from many threads at
/// once.
class AttackedModel {
public:
    virtual ~AttackedModel() = default;
    virtual ImageShape shape() const = 0;
    virtual std::uint32_t classes() const = 0;
    /// images has n x shape().size() numbers, and out n x classes().
    virtual void scores(std::span<const float> images, std::size_t n, std::span<float> out) = 0;
    /// batch.input contains the images; the gradient is with respect to their numbers.
    virtual void gradients(const LossBatch& batch, const LossGradients& out) = 0;
};

struct AttackBatch {
    std::span<const float> images;          ///< n x shape().size(), each in [0, 1]
    std::span<const std::uint32_t> labels;  ///< n
    std::span<const std::uint64_t> items;   ///< n keys for the random draws of the images
};

struct AttackOptions {
    double eps = 8.0 / 255;  ///< budget, in the unit of the images; at least 0
    Norm norm = Norm::linf;
    int steps = 0;              ///< 0 means the attack's own number
    double step_size = 0;       ///< for pgd; 0 means eps / 4 (linf), eps / 5 (l2)
    bool random_start = true;   ///< random start of pgd
    int restarts = 1;           ///< runs of pgd, each from its own random start, until one fools
    std::uint32_t targets = 9;  ///< for the targeted attacks: number of classes with the highest
                                ///< scores on the image
    /// run_attack() classifies the attack's results once more. It is false for callers who do so
    /// themselves: `fooled` is then the attack's claim.
    bool verify = true;
    bool smallest = false;  ///< fab-t, fmn and ddn keep the smallest change, also beyond the budget
    std::uint64_t seed = 0;
};

/// The result of an attack on the images of a batch.
struct AttackResult {
    /// n x shape().size() numbers within the budget and the box. If the attack failed: the last
    /// image that it tried (pgd, fgsm, noise), or the original. With restarts of pgd, this is the
    /// last image of the run with the highest cross-entropy.
    std::vector<float> images;
    std::vector<std::uint8_t> fooled;  ///< n: 1 if the model misclassifies the image above
    std::uint64_t forward = 0;         ///< images that went through the model
    std::uint64_t backward = 0;        ///< number of images among these that needed a gradient
    /// n: `zero_gradient` is 1 for images whose first gradient was zero everywhere. `not_finite` is
    /// 1 for images whose scores, loss or elements of the gradient were not finite at some step.
    /// These are signs that the gradient hides the model's behavior. An element that is not finite
    /// counts as 0.
    std::vector<std::uint8_t> zero_gradient, not_finite;
    /// n: 1 for images on which the attack could not begin. Their scores are finite, but their
    /// first gradient has no finite element, or their loss is not finite. For an ensemble: no part
    /// could begin.
    std::vector<std::uint8_t> unusable;
};

/// One attack, with all of its properties.
struct Attack {
    std::string_view name;        ///< "apgd-ce"
    std::string_view source;      ///< the paper
    bool gradients;               ///< true if it needs the model's gradients
    std::span<const Norm> norms;  ///< the norms that it is available for
    int steps;                    ///< default number of iterations, or of queries per image
    AttackResult (*run)(AttackedModel& model, const AttackBatch& batch,
                        const AttackOptions& options);
    /// True if it searches for the smallest change of an image. Its work does not depend on the
    /// budget, so one run has the result at every budget.
    bool smallest = false;

    bool takes(Norm norm) const;
    /// "fgsm is defined for the norms linf and l2 only"
    std::string norms_text() const;
};

/// All attacks: noise, fgsm, pgd, apgd-ce, apgd-dlr, apgd-t, fab-t, square, fmn, ddn.
std::span<const Attack> attacks();
/// Finds an attack by name. Throws usage with the existing names.
const Attack& attack_named(std::string_view name);

/// Runs the attack. Every image that is reported as fooling the model was classified once more in
/// the form in which it is returned (unless options.verify is false). Throws usage (the attack does
/// not support the norm, eps is below 0 or not finite), the model's errors, interrupted.
AttackResult run_attack(const Attack& attack, AttackedModel& model, const AttackBatch& batch,
                        const AttackOptions& options);

/// The attacks of AutoAttack's standard version, in order (Croce and Hein, ICML 2020). Each one
/// runs only on the images that the previous ones did not succeed on.
std::span<const std::string_view> autoattack_parts();

/// The result of each attack of an ensemble.
struct EnsembleResult {
    AttackResult result;
    /// n: place in the ensemble of the attack that fooled the model, or -1.
    std::vector<int> by;
};
EnsembleResult run_ensemble(std::span<const std::string_view> names, AttackedModel& model,
                            const AttackBatch& batch, const AttackOptions& options);

}  // namespace assay
