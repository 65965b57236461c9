// Classifiers under attack, over a data set: what is left of their accuracy, and whether the attack
// is to be believed.
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

/// "8/255", "0.03", "0". Throws usage: not a number, below 0, or, of linf, above 1 (with the value
/// in 255ths that may have been meant). attack_models() knows how far a budget of l2 can go.
double parse_eps(std::string_view text, Norm norm = Norm::linf);
/// "8/255", "0.25/255" where eps is so many 255ths with at most three decimals, else "0.03".
std::string eps_text(double eps);

/// How adversarial images are written.
enum class ImageForm {
    npy,  ///< what the classifier is fed before the normalisation, to the bit: float32, height x
          ///< width x 3 (red, green, blue), in [0, 1]
    png,  ///< rounded to 8 bits within the budget; opens as any image
};
std::string_view name_of(ImageForm);

struct AttackRunOptions {
    PredictOptions
        predict;  ///< shard_rows 0: one batch, so that a kill loses the batches in flight
    /// Of attacks(), or "autoattack". Empty: fgsm and pgd, of which the paper's dimension is made.
    std::vector<std::string> attacks;
    std::vector<double> eps = {8.0 / 255};
    Norm norm = Norm::linf;
    AttackSpace space = AttackSpace::pixels;
    /// pgd with steps of eps and without a random start, as printed in Hesse et al. 2026.
    bool paper_literal = false;
    int steps = 0;  ///< 0: each attack's own
    std::uint64_t seed = 0;
    double level = .95;
    bool control = true;  ///< false: every verdict is AttackVerdict::not_checked
    /// Not empty: the images are written, a data set for each attack and budget (IMAGES/pgd-linf-
    /// 8_255/<image>, with labels.csv), and classified once more from their files. Of one model, in
    /// the space of pixels.
    std::filesystem::path images;
    ImageForm image_form = ImageForm::npy;
};

/// The images of an attack as they lie in files: read back, found to be within the budget and the
/// box, and classified.
struct SavedAttack {
    std::filesystem::path folder;
    std::uint64_t images = 0;
    std::uint64_t robust = 0;  ///< of those classified correctly before: still so
    /// Of the images that fooled the model: classified correctly from their files.
    std::uint64_t lost = 0;
    Estimate accuracy;  ///< of all images with one label and a score (Wilson)
};

/// One attack with one budget on one model: a store of the scores of what it made of the images.
struct AttackCell {
    std::string attack;
    double eps = 0;
    std::filesystem::path store;
    /// Images with a score without the attack and none under it, and the first one's error.
    struct Unscored {
        std::uint64_t images = 0;
        std::string first_error;
    };
    Unscored ended_not_finite;  ///< scores not finite: they count as misclassified
    Unscored unreadable;        ///< could not be read (any more) or computed: they do not count
    std::uint64_t robust = 0;   ///< images classified correctly before and after
    Estimate accuracy;          ///< of all images, under the attack (Wilson)
    Estimate ratio;             ///< of the images classified correctly before (Wilson)
    /// Of all runs that made the store. Fewer attacked than were classified correctly: the store
    /// has no counts of the others (an earlier version made it, or the system crashed).
    std::uint64_t attacked = 0, zero_gradients = 0, not_finite = 0, forward = 0, backward = 0;
    /// Of an ensemble, in its order: images that each part was the first to fool the model on.
    std::vector<std::pair<std::string, std::uint64_t>> by;
    std::optional<SavedAttack> saved;  ///< with AttackRunOptions::images
};

struct AttackedResult {
    std::string model, dataset;
    std::uint64_t images = 0;    ///< with one label and a score
    std::uint64_t without = 0;   ///< the others
    std::uint64_t bad_rows = 0;  ///< images without a score, with the first one's error
    std::string first_error;
    std::uint64_t correct = 0;
    Estimate clean;
    std::vector<AttackCell> cells;  ///< by eps, then in the order asked for; noise first
    /// With AttackRunOptions::images: a few of each attack that fooled the model, with pictures of
    /// what they were and of what changed (assay.attack_examples/1). "": an earlier version made
    /// the images.
    std::filesystem::path examples;
    /// By eps, where fgsm and pgd were run: the geometric mean of their two ratios (Hesse et al.
    /// 2026, eq. 1), with Wilson's interval of as many draws as have the delta method's variance.
    std::vector<std::pair<double, Estimate>> geometric_mean;
    /// Whether the numbers are to be believed, and by what signs.
    AttackControl control;
    /// What the attacks met, whole sentences: gradients of zero, and elements that are no numbers.
    std::vector<std::string> signs;
    std::vector<std::string> notes;
};

/// Predicts the images as they are (the store that predict() makes), then each attack's: stores
/// named MODEL@ATTACK-NORM-EPS beside it, which score, compare and all others read. Noise of each
/// budget comes with them, as the control. Only images that are classified correctly are attacked;
/// the others keep their scores. Each cell is computed by itself: its numbers do not depend on
/// which others were asked for. Then the controls run, on at most 64 images of each model
/// (max_control_passes()), unless they ran before in the same way; each store records the verdict.
/// Resumes like predict(); images that an earlier run did not write
/// are made once more, to the bit. Throws as predict() does; bad_input: no image with a single
/// label, a model without gradients (named before anything runs); usage: an eps below 0 or above
/// the distance between a black and a white image (1; of l2, the root of the input's numbers),
/// images of several models or of the normalised space, or a folder that holds something else.
std::vector<AttackedResult> attack_models(std::span<const LoadedModel> models,
                                          const Dataset& dataset, const AttackRunOptions& options,
                                          const ProgressCallback& callback = {});

/// The most that the controls of one model take: images that go through the model, and of these
/// with a gradient. It does not depend on the data set. A tenth of fgsm and pgd on 1,000 images.
struct ControlPasses {
    std::uint64_t forward = 0, backward = 0;
};
ControlPasses max_control_passes(const AttackRunOptions& options);

/// JSON: assay.attack/1.
Report report_of(std::span<const AttackedResult> results, const AttackRunOptions& options);

}  // namespace assay
