// Statistic matching: chooses candidate images whose selection frequencies are distributed as those
// of a reference (Recht et al., ICML 2019). Held-out annotators check the true result (Engstrom et
// al., appendix D).
//
// Frequencies are compared for the same number of annotators in both sets: readings with more
// annotators are thinned at random. Three of five annotators can give 3/5 but never 2/3, so
// readings with different numbers fill the buckets differently even for equal images.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"
#include "assay/replication/selections.h"
#include "assay/replication/study.h"
#include "assay/result_type.h"

namespace assay::replication {

/// The three selection strategies of ImageNetV2.
enum class Strategy {
    matched,    ///< frequencies distributed as in the reference, class by class
    threshold,  ///< at random among the candidates with at least some frequency
    top,        ///< the highest frequencies, with random choice among equal ones
};
std::string_view name_of(Strategy strategy);

struct MatchOptions {
    int per_class = 10;
    Strategy strategy = Strategy::matched;
    double threshold = 0.7;  ///< threshold of Strategy::threshold
    /// The number of annotators for the reference's frequencies; 0 means the same number as for the
    /// candidates. Any other number repeats the published comparison of unlike readings, which
    /// cannot reveal a bias.
    int reference_annotators = 0;
    /// The number of annotators who choose candidates; 0 means the largest number that all but a
    /// hundredth of both sets' images have. The others are held out.
    int annotators = 0;
    int easy_annotators = 0;  ///< further annotators that first restrict the candidates ...
    int easy_min = 0;  ///< ... to images that at least this many of them selected (appendix D.3)
    bool published_targets = false;  ///< use match_targets() instead of drawn_targets()
    std::uint64_t seed = 1;
};
/// Reads "matched", "top", "threshold" or "threshold=.7". Throws usage for others and for
/// thresholds outside (0, 1].
void choose_strategy(MatchOptions& options, std::string_view text);

struct Matched {
    std::uint32_t candidate = 0;                 ///< position among the candidates' readings
    std::uint16_t selected = 0, annotators = 0;  ///< in sample
    std::uint16_t held_out_selected = 0, held_out_annotators = 0;  ///< the rest
    std::uint8_t bucket = 0;
};

struct ClassMatch {
    std::uint32_t cls = 0;                      ///< index into StudyNames::classes
    std::vector<int> target, available, taken;  ///< by bucket
    int missing = 0;
};

/// The chosen images of one bucket. Even without any bias, held-out frequencies are closer to the
/// candidates' mean in every bucket than the frequencies that chose the images. The bias is the sum
/// over the reference's buckets, MatchResult::regression.
struct BucketFrequencies {
    Estimate in_sample, held_out, regression;  ///< regression is held out minus in sample
};

struct MatchResult {
    int annotators = 0;            ///< number of annotators who chose
    int reference_annotators = 0;  ///< for the reference's frequencies
    std::vector<Matched> images;   ///< by class, then bucket, then candidate
    std::vector<ClassMatch> classes;
    std::uint64_t missing = 0, candidates = 0, too_few_annotators = 0, not_easy = 0;
    std::uint64_t from_higher = 0;  ///< images from a higher bucket than requested
    Estimate reference;             ///< mean frequency, with classes weighted as they were chosen
    Estimate in_sample;
    Estimate held_out;  ///< undefined if no annotator was held out
    /// Held out minus reference, paired by class. Besides the hidden bias it includes effects of
    /// shortfalls and of chance on whole images.
    Estimate difference;
    /// The selection bias that in-sample agreement hides: held out minus in sample over all
    /// candidates, with buckets and classes weighted as in the reference. Its mean is 0 if the
    /// candidates have the reference's rates. Standard errors are over classes of both sets. Other
    /// strategies use the chosen images, as regression_as_chosen does.
    Estimate regression;
    /// The same for the chosen images and their buckets: held_out minus in_sample.
    Estimate regression_as_chosen;
    std::vector<BucketFrequencies> buckets;  ///< match_buckets entries
    std::vector<std::string> warnings;
};
ResultType result_type(ResultOf<MatchResult>);
/// Sentences on the match. Each says "not shown" if its interval includes 0.
std::string verdict(const MatchResult& result);

inline constexpr int match_buckets = 5;
/// The bucket out of [0,.2) [.2,.4) [.4,.6) [.6,.8) [.8,1], in integers: floor(5 k / n), at most 4.
int match_bucket(int n, int k);
/// The number of images in each bucket.
std::vector<std::uint64_t> bucket_counts(const Readings& set);
/// Divides per_class in proportion to a histogram, as published: rounds down, then adds one each
/// for the largest remainders, with ties to the higher bucket. All are 0 for an empty histogram.
/// With few images per class, the same buckets get nothing in one class after another.
std::vector<int> match_targets(const std::vector<int>& histogram, int per_class);
/// The same with one draw u from [0, 1): floor(C_b + u) - floor(C_b-1 + u). C is the running sum of
/// the buckets' shares of per_class, which may be fractional. Each target is one of the two
/// integers next to its share, and its mean is the share.
std::vector<int> drawn_targets(const std::vector<int>& histogram, int per_class, double u);

/// For each class of the reference, fills buckets from low to high by sampling without replacement.
/// If a bucket has too few images, the next higher one provides them. The shortfall of the last
/// bucket remains. The annotators of each candidate are split at random into those that choose,
/// those that decide `easy`, and those held out. So nobody is used twice. Throws usage; bad_input
/// if no class has candidates, or if a set has no image with this many annotators.
MatchResult match(const Readings& reference, const Readings& candidates, const StudyNames& names,
                  const MatchOptions& options);

/// The number of chosen images that a classifier predicts correctly.
struct MatchedAccuracy {
    std::string classifier;
    std::uint64_t hits = 0;
    Estimate accuracy;  ///< Wilson's interval; n: chosen images whose hit is known
};
ResultType result_type(ResultOf<MatchedAccuracy>);
/// Throws bad_input if no hit on a chosen image is known.
std::vector<MatchedAccuracy> matched_accuracies(const MatchResult& result,
                                                const Readings& candidates, const Hits& hits);

}  // namespace assay::replication
