// Classifiers under attack over a data set: how much of their accuracy remains, and whether the
// attack can be trusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"
#include "assay/evaluate/predict.h"
#include "assay/progress.h"
#include "assay/report.h"
#include "assay/robustness/attack.h"
#include "assay/robustness/attack_verdict.h"
#include "assay/robustness/pixel_model.h"

namespace assay {

/// Parses "8/255", "0.03" or "0". Throws usage if the text is not a number or is below 0. For linf,
/// it also throws usage for a value above 1, and the message names the value in 255ths that may
/// have been meant. The function attack_models() knows how large a budget of l2 can be.
double parse_eps(std::string_view text, Norm norm = Norm::linf);
/// Returns "8/255" or "0.25/255" if eps is a number of 255ths with at most three decimals,
/// otherwise "0.03".
std::string eps_text(double eps);
/// Like eps_text() for linf, and the plain number for other norms.
std::string budget_text(double eps, Norm norm);

/// The size of a step of pgd: a number in the unit of the budgets, or a fraction of each budget.
struct AttackStep {
    double value = 0;          ///< above 0
    bool divides_eps = false;  ///< true if the step is eps / value

    double at(double eps) const { return divides_eps ? eps / value : value; }
};
/// Parses "2/255", "0.01" or "eps/30". Throws usage for other texts, for 0 and below, and, for
/// linf, for a value above 1.
AttackStep parse_step(std::string_view text, Norm norm = Norm::linf);
/// Returns the text that parse_step() reads: "2/255", "eps/30".
std::string step_text(const AttackStep& step, Norm norm);

/// The file formats of adversarial images.
enum class ImageForm {
    npy,  ///< exactly the classifier's input before the normalisation: float32, height x
          ///< width x 3 (red, green, blue), in [0, 1]
    png,  ///< rounded to 8 bits within the budget; opens as an ordinary image
};
std::string_view name_of(ImageForm);

struct AttackRunOptions {
    PredictOptions predict;  ///< shard_rows 0 means one batch per shard, so that a kill loses only
                             ///< the batches in flight
    /// Names of attacks(), or "autoattack". Empty means fgsm and pgd, which the paper's dimension
    /// uses.
    std::vector<std::string> attacks;
    /// Budgets. Empty means 8/255, and usual_budgets() for attacks that search for the smallest
    /// change (Attack::smallest).
    std::vector<double> eps;
    Norm norm = Norm::linf;
    AttackSpace space = AttackSpace::pixels;
    /// Runs pgd with steps of eps and without a random start, as printed in Hesse et al. 2026.
    bool paper_literal = false;
    int steps = 0;                   ///< 0 means each attack's own number
    std::optional<AttackStep> step;  ///< of pgd; without one, eps/4 (linf) or eps/5 (l2)
    int restarts = 1;  ///< runs of pgd, each from its own random start, until one of them fools
    std::uint64_t seed = 0;
    double level = .95;
    bool control = true;  ///< if false, every verdict is AttackVerdict::not_checked
    /// Also classifies the images that were made on each model by every other model. All models
    /// must take the same pixels: their preprocessing may differ in the normalisation only.
    bool transfer = false;
    /// If not empty, the images are written as one data set per attack and budget:
    /// IMAGES/pgd-linf-8_255/<image>, with labels.csv. They are then classified once more from
    /// their files. This works for one model, in the space of pixels.
    std::filesystem::path images;
    ImageForm image_form = ImageForm::npy;
};

/// The images of an attack as stored in files: they were read back, checked against the budget and
/// the box, and classified.
struct SavedAttack {
    std::filesystem::path folder;
    std::uint64_t images = 0;
    std::uint64_t robust = 0;  ///< images that were classified correctly before the attack and
                               ///< still are
    /// images that fooled the model but are classified correctly from their files
    std::uint64_t lost = 0;
    Estimate accuracy;  ///< over all images with one label and a score (Wilson)
};

/// One attack with one budget on one model: a store of the scores of the attacked images.
struct AttackCell {
    std::string attack;
    double eps = 0;
    std::filesystem::path store;
    /// The number of images that have a score without the attack but none under it, and the first
    /// one's error.
    struct Unscored {
        std::uint64_t images = 0;
        std::string first_error;
    };
    Unscored ended_not_finite;  ///< scores that are not finite; they count as misclassified
    Unscored unreadable;        ///< images that can no longer be read or computed; they do
                                ///< not count
    std::uint64_t robust = 0;   ///< images classified correctly before and after the attack
    Estimate accuracy;          ///< over all images, under the attack (Wilson)
    Estimate ratio;             ///< over the images that were classified correctly before (Wilson)
    /// Totals over all runs that made the store. If fewer images were attacked than were classified
    /// correctly, the store has no counts for other images. This happens if an earlier version made
    /// the store or the system crashed.
    std::uint64_t attacked = 0, zero_gradients = 0, not_finite = 0, forward = 0, backward = 0;
    /// For an ensemble: each part, in order, with the number of images that it was the first to
    /// fool the model on.
    std::vector<std::pair<std::string, std::uint64_t>> by;
    std::optional<SavedAttack> saved;  ///< with AttackRunOptions::images
    /// One of the budgets of a search for the smallest change. They share one run: the store and
    /// the totals are the same for all of them.
    bool of_curve = false;
};

/// The smallest change of each image that fools the model, as one search (fmn, ddn) found it. The
/// true smallest change may be smaller. Sizes are in the unit of the budgets.
struct SmallestChanges {
    std::string attack;
    std::filesystem::path store;
    std::filesystem::path table;   ///< csv in the store: a row per image, with its radius
    std::uint64_t correct = 0;     ///< images that were attacked and have a result
    std::uint64_t not_fooled = 0;  ///< of these, images for which no change was found
    /// Images that fool the model but are not counted, because the record of their change is lost.
    std::uint64_t unknown = 0;
    /// Over the correct images. An image that is not fooled has a larger radius than all others.
    /// The interval is that of order statistics, which always covers at least the level.
    Estimate median;
    std::optional<SavedAttack> saved;  ///< with AttackRunOptions::images
    /// By image: the size of the change, 0 for images misclassified without an attack, infinity if
    /// not fooled, NaN if not counted.
    std::vector<double> radii;
};

/// Two models under the same search, on the images that both classify correctly.
struct SmallestPair {
    std::string dataset, attack, first, second;
    std::uint64_t images = 0;
    std::uint64_t first_larger = 0;   ///< images whose radius is larger under `first`
    std::uint64_t second_larger = 0;  ///< the others have equal radii or fool neither model
    Estimate difference;              ///< median of (first - second), with order statistics
    double p = 1;                     ///< exact sign test
    double p_adjusted = 1;            ///< by Holm, over all pairs of the result
};

/// One attack with one budget that was made on another model: the outcome of this model on the
/// images. Images that the other model misclassifies are unchanged.
struct TransferredAttack {
    std::string attack;
    double eps = 0;
    std::string made_on;                    ///< the other model
    AttackVerdict verdict{};                ///< of the attack on the other model
    std::filesystem::path store;            ///< scores of this model on the images
    AttackCell::Unscored ended_not_finite;  ///< as in AttackCell, for this model
    AttackCell::Unscored unreadable;
    Estimate accuracy;              ///< over all images with one label and both scores (Wilson)
    std::uint64_t both = 0;         ///< images that both classify correctly without an attack
    std::uint64_t robust = 0;       ///< of these, images that this model still classifies correctly
    Estimate ratio;                 ///< robust / both (Wilson)
    std::uint64_t fooled = 0;       ///< of both, images that fool the other model
    std::uint64_t transferred = 0;  ///< of these, images that fool this model, too
    Estimate rate;                  ///< transferred / fooled (Wilson)
};

struct AttackedResult {
    std::string model, dataset;
    std::uint64_t images = 0;    ///< images with one label and a score
    std::uint64_t without = 0;   ///< other images
    std::uint64_t bad_rows = 0;  ///< images without a score, with the first one's error
    std::string first_error;
    std::uint64_t correct = 0;
    Estimate clean;
    std::vector<AttackCell> cells;  ///< by eps, then in the requested order; noise comes first
    std::vector<SmallestChanges> smallest;  ///< of fmn and ddn
    /// With AttackRunOptions::transfer: by attack of each other model, in the order of the models.
    std::vector<TransferredAttack> transferred;
    /// With AttackRunOptions::images: a few images per attack that fooled the model, with pictures
    /// of the originals and of the changes (assay.attack_examples/1). "" if an earlier version of
    /// Assay made the images.
    std::filesystem::path examples;
    /// One value per eps for which fgsm and pgd were run: the geometric mean of their two ratios
    /// (Hesse et al. 2026, eq. 1). Its interval is Wilson's, with the number of draws that gives
    /// the variance of the delta method.
    std::vector<std::pair<double, Estimate>> geometric_mean;
    /// Shows whether the numbers can be trusted, with the signs.
    AttackControl control;
    /// Sentences about problems in the attacks: gradients of zero, and elements that are not
    /// numbers.
    std::vector<std::string> signs;
    std::vector<std::string> notes;
};

/// Predicts the original images (into the same store as predict()), and then the images of each
/// attack. The stores of attacks are named MODEL@ATTACK-NORM-EPS and are next to the first one;
/// score, compare and all other commands read them. Each budget also gets noise as a control. Only
/// images that are classified correctly are attacked; other images keep their scores. Each cell is
/// computed independently: its numbers do not depend on which other cells were requested. Then the
/// controls run on at most 64 images per model (max_control_passes()), unless they already ran in
/// the same way; each store records the verdict. A run resumes as predict() does; images that an
/// earlier run did not write are made again and are the same to the bit. Throws as predict() does.
/// Also throws bad_input if no image has a single label or a model has no gradients (it is named
/// before anything runs). Throws usage for an eps below 0 or above the distance between a black and
/// a white image. This distance is 1, or for l2 the root of the input's number of values. Also
/// throws usage if images are requested of several models or in the normalised space, or if their
/// folder contains something else. An attack that searches for the smallest change runs once for
/// all budgets; its store has no budget in its name. Without other attacks, noise does not run.
/// With `transfer`, also throws usage for fewer than two models, for models that take different
/// pixels or batches, and for attacks without a budget.
std::vector<AttackedResult> attack_models(std::span<const LoadedModel> models,
                                          const Dataset& dataset, const AttackRunOptions& options,
                                          const ProgressCallback& callback = {});

/// The largest cost of the controls of one model: how many images go through the model, and how
/// many of these need a gradient. It does not depend on the data set, and is a tenth of the cost of
/// fgsm and pgd on 1,000 images.
struct ControlPasses {
    std::uint64_t forward = 0, backward = 0;
};
ControlPasses max_control_passes(const AttackRunOptions& options);

/// The budgets at which the curve of a search for the smallest change is reported: usual ones for
/// the norm, from small to large.
std::span<const double> usual_budgets(Norm norm);
/// All pairs of models that ran the same search on the same data set, in order.
std::vector<SmallestPair> compare_smallest(std::span<const AttackedResult> results,
                                           double level = .95);

/// JSON: assay.attack/1.
Report report_of(std::span<const AttackedResult> results, const AttackRunOptions& options);

}  // namespace assay
