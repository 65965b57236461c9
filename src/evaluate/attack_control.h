// Controls of attacks: a few passes that show whether a gradient leads anywhere.
//
// Images are chosen by the hashes of their ids, in batches of 8, so that numbers depend neither on
// threads nor on the batch size of the run. Cost: ControlBudget.
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

inline constexpr std::size_t probe_images = 64;        ///< that run twice, and that square attacks
inline constexpr std::size_t alone_images = 8;         ///< of these, that also run alone
inline constexpr std::size_t control_images = 16;      ///< that gradients are computed of
inline constexpr std::size_t slope_directions = 8;     ///< of central differences
inline constexpr std::size_t fewest_for_tests = 64;    ///< images of an exact McNemar test
inline constexpr std::size_t fewest_fooled_none = 20;  ///< attacked images, of which none is fooled
inline constexpr double repeat_limit = 1e-4;           ///< of the largest score
inline constexpr double slope_limit = 0.5;             ///< median relative error
inline constexpr double least_budget = 2.0 / 255;      ///< at which some image should be fooled
inline constexpr double large_budget = 32.0 / 255;     ///< that leaves chance
inline constexpr double sign_level = .001;             ///< of the McNemar tests together, by Holm

/// How many passes the controls of one model may take. A pass with a gradient counts as three
/// forward ones. At most a tenth of what fgsm and pgd take on 1,000 images, of which the proportion
/// `correct` is attacked.
struct ControlBudget {
    int stronger_steps = 0;                   ///< of the stronger attack
    int queries = 0;                          ///< of square, at most
    std::uint64_t forward = 0, backward = 0;  ///< at most, in all
};
ControlBudget control_budget(double correct, bool gradients);

struct ControlInputs {
    AttackedModel& model;
    const LoadedModel& loaded;
    const Dataset& dataset;
    const AttackRunOptions& options;
    std::span<const RowOutcome> clean;
    /// Of each row: an attack with a gradient at the largest budget fooled the model, or none
    /// (where it is not known).
    std::span<const RowOutcome> attacked;
    double eps = 0;          ///< the largest budget
    bool gradients = false;  ///< attacks of the command follow gradients
    std::size_t batch = 8;   ///< 1: of a model that runs with one image at a time
};

/// What was measured. Counts of 0 images: nothing was.
struct ControlMeasures {
    std::size_t probed = 0;        ///< images that ran twice
    double repeat_difference = 0;  ///< of the largest score
    std::size_t ran_alone = 0;
    double alone_difference = 0;
    std::size_t not_finite = 0;   ///< of the probed
    bool probabilities = false;   ///< the scores of all of these look like it
    double limit = repeat_limit;  ///< of the differences, for the precision of the model
    std::size_t large_images = 0, large_left = 0;
    double large_eps = 0;
    std::size_t slopes = 0;  ///< pairs of an image and a direction along which the score moves
    std::size_t slope_images = 0;
    double slope_error = 0;          ///< median
    std::size_t zero_gradients = 0;  ///< images without a gradient whose score moves
    std::size_t stronger_images = 0, left_before = 0, left_after = 0;
    int stronger_steps = 0;
    std::size_t square_images = 0, only_square = 0, only_gradient = 0;
    int queries = 0;
    bool square_needed = true;  ///< false: too few images were left for the sign
    std::uint64_t forward = 0, backward = 0;
};

/// Throws as predict() does; interrupted. `callback`: passes, of control_budget()'s.
ControlMeasures measure_controls(const ControlInputs& in, const ControlBudget& budget,
                                 const ProgressCallback& callback);

}  // namespace assay::attack
