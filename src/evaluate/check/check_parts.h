// The parts of `assay check`. Each part uses the measurements of earlier parts and adds its
// findings.
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
    std::size_t place = 0;  ///< index among the requested images
    std::string why;
};

/// n rows of scores over C classes.
struct Scores {
    std::size_t classes = 0;
    std::vector<float> values;              ///< NaN for images that failed
    std::vector<FailedWindow> failed = {};  ///< by place
    std::size_t rows() const { return classes == 0 ? 0 : values.size() / classes; }
    std::span<const float> row(std::size_t i) const {
        return std::span(values).subspan(i * classes, classes);
    }
};

/// Passes windows (already resized and cropped) to the classifier, batch by batch. Finds the images
/// at which the classifier fails, like a run.
class Runner {
public:
    /// With `any_failure`, it throws at the first image that fails.
    Runner(Classifier& classifier, std::size_t batch, int threads, bool any_failure = false);
    /// `p` determines scale, mean, std and channel order; the windows must have its size.
    Scores run(std::span<const Image> windows, const Preprocess& p) const;
    /// Computes all windows as one batch; `windows.size()` must equal a fixed batch size.
    Scores run_together(std::span<const Image> windows, const Preprocess& p) const;
    std::size_t fixed_batch() const;
    /// If the scores of an image differ by less than this, relative to the spread of its scores,
    /// they are equal up to rounding. Kernels add in another order for another batch size.
    double tolerance() const;
    int threads() const { return threads_; }
    /// A runner for the same classifier without a record of failed images.
    Runner afresh() const { return {classifier_, batch_, threads_, batches_ == nullptr}; }

private:
    Classifier& classifier_;
    std::size_t batch_;
    int threads_;
    std::shared_ptr<prediction::BatchRunner> batches_;  ///< nullptr means that any failure throws
};

/// Images drawn from the labelled items (from all if none is labelled), as far as they can be read,
/// in the items' order.
struct Sample {
    bool labelled = false;
    std::size_t asked = 0;  ///< number of drawn images
    std::vector<std::uint32_t> items;
    std::vector<Image> windows;
    struct Unreadable {
        std::uint32_t item;
        std::string message;
    };
    std::vector<Unreadable> unreadable;
    std::vector<Unreadable> failed;  ///< images that the classifier cannot compute

    std::size_t size() const { return items.size(); }
};
/// Removes the images at these places from the sample; other failed windows are not in the sample.
void leave_out(Sample& sample, const std::vector<FailedWindow>& failed);
/// The scores of the sample's images. Removes images that the classifier cannot compute from the
/// sample.
Scores run_sample(const Runner& runner, Sample& sample, const Preprocess& p);
/// Findings about failed images; empty if there are none.
std::vector<Finding> check_failed(const Sample& sample, const Dataset& dataset, Severity severity);
/// Draws `n` images after the `first` images of an earlier call, or fewer if there are not
/// enough.
Sample draw_sample(const Dataset& dataset, const Preprocess& p, const CheckOptions& options,
                   std::size_t first, std::size_t n);
/// The same images, resized and cropped in another way.
std::vector<Image> windows_of(const Sample& sample, const Dataset& dataset, const Preprocess& p,
                              int threads);

/// The class of the data set for each output of the classifier, or -1.
using ClassOfOutput = std::vector<std::int32_t>;
ClassOfOutput given_order(std::size_t classes);
/// The result of the classifier on each image of a sample.
struct Outcomes {
    /// 1 if the highest score (on ties, the lowest output) belongs to a label; 0 if there is a NaN
    /// among the scores
    std::vector<std::uint8_t> correct;
    /// Twice the number of scores above that of the best label, plus the number of scores equal to
    /// it (including itself). Equal scores therefore give no advantage. The number is larger
    /// than any other if no output is a label, or a score is NaN.
    std::vector<std::uint32_t> ranks;
};
Outcomes judge(const Scores& scores, const Sample& sample, const Dataset& dataset,
               const ClassOfOutput& order);
std::size_t count_correct(std::span<const std::uint8_t> correct);
/// Formats counts as "71 of 128 (55.5 %)".
std::string proportion_text(std::size_t part, std::size_t whole);

/// Evidence::correct counts images that are correct in only one way (exact McNemar test).
/// Evidence::ranks counts images whose label has a higher rank in one way (exact sign test). Ranks
/// have more power and, like correct predictions, do not depend on the spread of the scores, which
/// contrast alone changes.
enum class Evidence { correct, ranks };
/// Two-sided p-value for `rival` being better. It is 1 if `rival` is not better, or has no more
/// correct images than `given`. With Evidence::ranks, it is also 1 if chance explains the
/// additional correct images. Ranks alone could prefer an incorrect way that favors the classes in
/// the sample.
double p_better(const Outcomes& given, const Outcomes& rival, Evidence evidence);

/// An alternative to the given way that may do better.
struct Rival {
    std::string name;
    std::string advice;
    Outcomes outcomes;
};
/// p_better() of each rival, after Holm's adjustment.
std::vector<double> adjusted_p(const Outcomes& given, std::span<const Rival> rivals,
                               Evidence evidence);
/// Among the rivals that are better at `level` after Holm's adjustment, the one with the most
/// correct images; index -1 if there is none.
struct BestRival {
    std::ptrdiff_t index = -1;
    double p = 1;
};
BestRival best_rival(std::span<const Rival> rivals, std::span<const double> adjusted, double level);
/// The same with adjusted_p().
BestRival best_rival(const Outcomes& given, std::span<const Rival> rivals, double level,
                     Evidence evidence);

/// check_order() compares no orders on fewer images.
inline constexpr std::size_t fewest_images = 10;
/// An order that check_order() compared with the given one.
struct TriedOrder {
    std::string name;
    ClassOfOutput order;
    std::size_t correct = 0;  ///< images of the sample
    double p = 1;             ///< adjusted_p() of being better than the given order
};
/// Results that other checks use.
struct OrderResult {
    ClassOfOutput order;   ///< the given order, or a significantly better one
    bool settled = false;  ///< true if it is better than chance in that order
    std::vector<Finding> findings;
    std::size_t given_correct = 0;  ///< images of the sample that are correct in the given order
    double chance_p = 1;            ///< shuffled_ranks_p() of the given order, if it was compared
    std::vector<TriedOrder> tried;  ///< empty if nothing could be compared
};

std::vector<Finding> check_data(const Dataset& dataset, const ModelSpec& spec, std::size_t outputs);
std::vector<Finding> check_images(const Dataset& dataset, const Sample& sample,
                                  const CheckOptions& options);
std::vector<Finding> check_outputs(const Scores& scores, const ModelSpec& spec,
                                   const Sample& sample, const Dataset& dataset);
OrderResult check_order(const Scores& scores, const Sample& sample, const Dataset& dataset,
                        const CheckOptions& options);
struct PixelResult {
    Preprocess best;  ///< the given preprocessing, or a significantly better one
    std::vector<Finding> findings;
};
/// `fresh` draws images that no check has used, on which it tries an alternative that may be
/// better. It may be empty.
PixelResult check_values(const Runner& runner, const Scores& scores, const Sample& sample,
                         const Dataset& dataset, const ModelSpec& spec, const ClassOfOutput& order,
                         const CheckOptions& options, const std::function<Sample()>& fresh);
std::vector<Finding> check_geometry(const Runner& runner, const Scores& scores,
                                    const Sample& sample, const Dataset& dataset,
                                    const Preprocess& p, const ClassOfOutput& order,
                                    const CheckOptions& options);
/// Checks other input sizes, for which options.reopen opens the classifier again. Without it,
/// checks nothing. Adds a note if no usual size is within a factor of two. `scores` are the
/// sample's scores under `p`.
std::vector<Finding> check_size(const Scores& scores, const Sample& sample, const Dataset& dataset,
                                const ModelSpec& spec, const Preprocess& p,
                                const ClassOfOutput& order, const CheckOptions& options,
                                int threads);
/// Runs each image with other neighbors than in a batch: alone or, if the batch size is fixed, in a
/// batch of copies of itself.
Scores one_by_one(const Runner& runner, std::span<const Image> windows, const Preprocess& p);
/// The largest difference between an image's scores, relative to the spread of its scores in `a`;
/// infinite if only one is finite.
double scores_difference(const Scores& a, const Scores& b);
/// The largest difference (scores_difference()) when the images of a batch run in reverse order.
/// `together` has their scores in this order.
double difference_by_place(const Runner& runner, std::span<const Image> batch, const Preprocess& p,
                           const Scores& together);
std::vector<Finding> check_batch(const Runner& runner, const Sample& sample, const Preprocess& p);

}  // namespace assay::checks
