// Controls of attacks: a few passes that show whether a gradient is usable.
//
// Images are chosen by the hashes of their ids, in batches of 8. The numbers therefore depend
// neither on threads nor on the batch size of the run. Cost: ControlBudget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/evaluate/attack.h"
#include "assay/robustness/attack.h"
#include "store/outcomes.h"

namespace assay::attack {

/// images that run twice, and that square attacks
inline constexpr std::size_t probe_images = 64;
inline constexpr std::size_t alone_images = 8;       ///< images among these that also run alone
inline constexpr std::size_t control_images = 16;    ///< images for which gradients are computed
inline constexpr std::size_t slope_directions = 8;   ///< directions of central differences
inline constexpr std::size_t fewest_for_tests = 64;  ///< fewest images for an exact McNemar test
/// number of attacked images of which none is fooled
inline constexpr std::size_t fewest_fooled_none = 20;
inline constexpr double repeat_limit = 1e-4;  ///< relative to the largest score
inline constexpr double slope_limit = 0.5;    ///< median relative error
/// budget at which some image should be fooled
inline constexpr double least_budget = 2.0 / 255;
inline constexpr double large_budget = 32.0 / 255;  ///< budget at which only chance should remain
/// level of all McNemar tests together, by Holm
inline constexpr double sign_level = .001;

/// The number of passes that the controls of one model may use. A pass with a gradient counts as
/// three forward ones. It is at most a tenth of the passes of fgsm and pgd on 1,000 images, of
/// which the proportion `correct` is attacked.
struct ControlBudget {
    int stronger_steps = 0;                   ///< steps of the stronger attack
    int queries = 0;                          ///< largest number of queries of square per image
    std::uint64_t forward = 0, backward = 0;  ///< upper bounds of the totals
};
ControlBudget control_budget(double correct, bool gradients);

struct ControlInputs {
    AttackedModel& model;
    const LoadedModel& loaded;
    const Dataset& dataset;
    const AttackRunOptions& options;
    std::span<const RowOutcome> clean;
    /// One entry per row: whether an attack with a gradient at the largest budget fooled the model,
    /// if known.
    std::span<const RowOutcome> attacked;
    double eps = 0;          ///< the largest budget
    bool gradients = false;  ///< attacks of the command follow gradients
    std::size_t batch = 8;   ///< 1 for a model that runs with one image at a time
};

/// The measurements. A number of images of 0 means that the check did not run.
struct ControlMeasures {
    std::size_t probed = 0;        ///< images that ran twice
    double repeat_difference = 0;  ///< relative to the largest score
    std::size_t ran_alone = 0;
    double alone_difference = 0;
    std::size_t not_finite = 0;   ///< probed images without finite scores
    bool probabilities = false;   ///< the scores of all images look like probabilities
    double limit = repeat_limit;  ///< limit for the differences at the precision of the model
    bool gradient_tried = false;  ///< the controls of gradients had an image
    std::size_t large_images = 0, large_left = 0;
    double large_eps = 0;
    std::size_t slopes = 0;  ///< pairs of an image and a direction along which the score changes
    std::size_t slope_images = 0;
    double slope_error = 0;          ///< median
    std::size_t zero_gradients = 0;  ///< images without a gradient whose score changes
    std::size_t stronger_images = 0, left_before = 0, left_after = 0;
    int stronger_steps = 0;
    std::size_t square_images = 0, only_square = 0, only_gradient = 0;
    int queries = 0;
    bool square_needed = true;  ///< false if too few images were left for the sign
    std::uint64_t forward = 0, backward = 0;
};

/// Throws as predict() does; interrupted. `callback` gets the passes so far and their maximum.
ControlMeasures measure_controls(const ControlInputs& in, const ControlBudget& budget,
                                 const ProgressCallback& callback);

}  // namespace assay::attack
