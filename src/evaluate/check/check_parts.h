// The parts of the doctor. Each takes what the earlier ones measured and adds its findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/evaluate/check.h"
#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "evaluate/batch_runner.h"

namespace assay::checks {

using Severity = Finding::Severity;

/// An image that the classifier cannot compute.
struct FailedWindow {
    std::size_t place = 0;  ///< among those that were asked for
    std::string why;
};

/// n rows of scores over C classes.
struct Scores {
    std::size_t classes = 0;
    std::vector<float> values;              ///< NaN of images that failed
    std::vector<FailedWindow> failed = {};  ///< by place
    std::size_t rows() const { return classes == 0 ? 0 : values.size() / classes; }
    std::span<const float> row(std::size_t i) const {
        return std::span(values).subspan(i * classes, classes);
    }
};

/// Feeds windows (already resized and cropped) to the classifier, batch by batch. Images at which
/// it fails are found, as in a run.
class Runner {
public:
    /// `any_failure`: throws at the first image that fails.
    Runner(Classifier& classifier, std::size_t batch, int threads, bool any_failure = false);
    /// `p` decides scale, mean, std and channel order; the windows must have its size.
    Scores run(std::span<const Image> windows, const Preprocess& p) const;
    /// All windows as one batch (`windows.size()` must be the fixed batch where there is one).
    Scores run_together(std::span<const Image> windows, const Preprocess& p) const;
    std::size_t fixed_batch() const;
    /// Scores of an image that differ by less, relative to the spread of its scores, are the same
    /// but for rounding: kernels add up in another order for another batch size.
    double tolerance() const;
    int threads() const { return threads_; }
    /// For the same classifier; it knows of no image that failed.
    Runner afresh() const { return {classifier_, batch_, threads_, batches_ == nullptr}; }

private:
    Classifier& classifier_;
    std::size_t batch_;
    int threads_;
    std::shared_ptr<prediction::BatchRunner> batches_;  ///< null: any failure throws
};

/// Images drawn from the labelled items (from all when none is labelled), those that can be read,
/// in the items' order.
struct Sample {
    bool labelled = false;
    std::size_t asked = 0;  ///< how many were drawn
    std::vector<std::uint32_t> items;
    std::vector<Image> windows;
    struct Unreadable {
        std::uint32_t item;
        std::string message;
    };
    std::vector<Unreadable> unreadable;
    std::vector<Unreadable> failed;  ///< that the classifier cannot compute

    std::size_t size() const { return items.size(); }
};
/// Images at these places leave the sample; others that were asked for are none of it.
void leave_out(Sample& sample, const std::vector<FailedWindow>& failed);
/// The scores of the sample's images; those that the classifier cannot compute leave the sample.
Scores run_sample(const Runner& runner, Sample& sample, const Preprocess& p);
/// What there is to say of them; nothing where there are none.
std::vector<Finding> check_failed(const Sample& sample, const Dataset& dataset, Severity severity);
/// `n` images, after `first` others that an earlier call drew; fewer or none when there are not so
/// many.
Sample draw_sample(const Dataset& dataset, const Preprocess& p, const CheckOptions& options,
                   std::size_t first, std::size_t n);
/// The same images, resized and cropped another way.
std::vector<Image> windows_of(const Sample& sample, const Dataset& dataset, const Preprocess& p,
                              int threads);

/// The class of the data set that each output of the classifier stands for, -1 for none.
using ClassOfOutput = std::vector<std::int32_t>;
ClassOfOutput given_order(std::size_t classes);
/// How the classifier did on each image of a sample.
struct Outcomes {
    std::vector<std::uint8_t> correct;  ///< the highest score (of equals the lowest output) is a
                                        ///< label's; never with a NaN among the scores
    /// Twice the scores above that of the best label, and once those equal to it (itself among
    /// them): a network that gives equal scores gains nothing. Larger than any other when no
    /// output is a label, or a score is NaN.
    std::vector<std::uint32_t> ranks;
};
Outcomes judge(const Scores& scores, const Sample& sample, const Dataset& dataset,
               const ClassOfOutput& order);
std::size_t count_correct(std::span<const std::uint8_t> correct);
/// "71 of 128 (55.5 %)"
std::string proportion_text(std::size_t part, std::size_t whole);

/// What a comparison counts: images that are correct one way and not the other (exact McNemar
/// test), or images whose label stands higher under one way (exact sign test). Ranks see more, and
/// like correct predictions they do not care how wide the scores are spread, which contrast alone
/// changes.
enum class Evidence { correct, ranks };
/// Two-sided p-value that `rival` is better; 1 when it is not, has fewer correct, or has more
/// correct only as chance would (ranks alone could prefer a way that is incorrect, but kinder to
/// the classes that the sample holds).
double p_better(const Outcomes& given, const Outcomes& rival, Evidence evidence);

/// Another way of doing it that may do better.
struct Rival {
    std::string name;
    std::string advice;
    Outcomes outcomes;
};
/// Of the rivals that are better at `level` after Holm's adjustment the one with the most
/// correct; index -1: none is.
struct BestRival {
    std::ptrdiff_t index = -1;
    double p = 1;
};
BestRival best_rival(const Outcomes& given, std::span<const Rival> rivals, double level,
                     Evidence evidence);

/// Several results that other checks build on.
struct OrderResult {
    ClassOfOutput order;   ///< the given one, or a significantly better one
    bool settled = false;  ///< better than chance in that order
    std::vector<Finding> findings;
};

std::vector<Finding> check_data(const Dataset& dataset, const ModelSpec& spec, std::size_t outputs);
std::vector<Finding> check_images(const Dataset& dataset, const Sample& sample,
                                  const CheckOptions& options);
std::vector<Finding> check_outputs(const Scores& scores, const ModelSpec& spec,
                                   const Sample& sample, const Dataset& dataset);
OrderResult check_order(const Scores& scores, const Sample& sample, const Dataset& dataset,
                        const CheckOptions& options);
struct PixelResult {
    Preprocess best;  ///< the given one, or a significantly better one
    std::vector<Finding> findings;
};
/// `fresh` draws images that no check has seen: a way that only may be better is tried on them
/// alone. Empty: there are none.
PixelResult check_values(const Runner& runner, const Scores& scores, const Sample& sample,
                         const Dataset& dataset, const ModelSpec& spec, const ClassOfOutput& order,
                         const CheckOptions& options, const std::function<Sample()>& fresh);
std::vector<Finding> check_geometry(const Runner& runner, const Scores& scores,
                                    const Sample& sample, const Dataset& dataset,
                                    const Preprocess& p, const ClassOfOutput& order,
                                    const CheckOptions& options);
/// Other input sizes, for which options.reopen opens the classifier again; nothing without it. A
/// note where no usual size is within a factor of two. `scores`: of the sample under `p`.
std::vector<Finding> check_size(const Scores& scores, const Sample& sample, const Dataset& dataset,
                                const ModelSpec& spec, const Preprocess& p,
                                const ClassOfOutput& order, const CheckOptions& options,
                                int threads);
/// Each image with other neighbours than in a batch: alone, or, where the batch is fixed, in a
/// batch of itself.
Scores one_by_one(const Runner& runner, std::span<const Image> windows, const Preprocess& p);
/// The largest difference of an image's scores, relative to the spread of its scores in `a`;
/// infinite where one is finite and the other is not.
double scores_difference(const Scores& a, const Scores& b);
/// The largest difference (scores_difference()) when the images of a batch run in reverse order.
/// `together`: their scores in this order.
double difference_by_place(const Runner& runner, std::span<const Image> batch, const Preprocess& p,
                           const Scores& together);
std::vector<Finding> check_batch(const Runner& runner, const Sample& sample, const Preprocess& p);

}  // namespace assay::checks
