// Statistic matching: choose candidate images whose selection frequencies are distributed as those
// of a reference (Recht et al., ICML 2019), with annotators held out to see what was really got
// (Engstrom et al., appendix D).
//
// Frequencies are compared that so many annotators gave in both sets: readings of more annotators
// are thinned to a random choice of them. Three of five annotators can say 3/5 and never 2/3, so
// readings of different numbers fill the same buckets differently though the images are alike.
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

/// The three ways in which ImageNetV2 was chosen.
enum class Strategy {
    matched,    ///< frequencies distributed as in the reference, class by class
    threshold,  ///< at random among the candidates of at least some frequency
    top,        ///< the highest frequencies; at random among equal ones
};
std::string_view name_of(Strategy strategy);

struct MatchOptions {
    int per_class = 10;
    Strategy strategy = Strategy::matched;
    double threshold = 0.7;  ///< of Strategy::threshold
    /// Annotators of the reference that make its frequencies; 0: as many as choose. Another number
    /// is the published comparison of unlike readings, in which no bias can be told.
    int reference_annotators = 0;
    /// Annotators of the candidates that choose; 0: the largest number that all but a hundredth of
    /// the images of both sets have. The others are held out.
    int annotators = 0;
    int easy_annotators = 0;  ///< further annotators that restrict the candidates beforehand ...
    int easy_min = 0;  ///< ... to those that at least this many of them selected (appendix D.3)
    bool published_targets = false;  ///< see match_targets(); else drawn_targets()
    std::uint64_t seed = 1;
};
/// "matched", "top", "threshold" or "threshold=.7". Throws usage for others and for thresholds
/// outside (0, 1].
void choose_strategy(MatchOptions& options, std::string_view text);

struct Matched {
    std::uint32_t candidate = 0;                 ///< position among the candidates' readings
    std::uint16_t selected = 0, annotators = 0;  ///< in sample
    std::uint16_t held_out_selected = 0, held_out_annotators = 0;  ///< the rest
    std::uint8_t bucket = 0;
};

struct ClassMatch {
    std::uint32_t cls = 0;                      ///< into StudyNames::classes
    std::vector<int> target, available, taken;  ///< by bucket
    int missing = 0;
};

/// The chosen images of one bucket. Held-out frequencies lie nearer to the candidates' mean than
/// those that put the images there, in every bucket and without any bias: what is biased is the sum
/// over the reference's buckets, MatchResult::regression.
struct BucketFrequencies {
    Estimate in_sample, held_out, regression;  ///< the last: held out minus in sample
};

struct MatchResult {
    int annotators = 0;            ///< who chose
    int reference_annotators = 0;  ///< of the reference's frequencies
    std::vector<Matched> images;   ///< by class, then bucket, then candidate
    std::vector<ClassMatch> classes;
    std::uint64_t missing = 0, candidates = 0, too_few_annotators = 0, not_easy = 0;
    std::uint64_t from_higher = 0;  ///< images from a higher bucket than was asked for
    Estimate reference;             ///< mean frequency; classes weighted as they were chosen
    Estimate in_sample;
    Estimate held_out;  ///< undefined where no annotator was held out
    /// Held out minus reference. Paired by class. Beside what in-sample agreement hides it holds
    /// what shortfalls change and what chance does to whole images.
    Estimate difference;
    /// Held out minus in sample over all candidates, buckets and classes weighing as in the
    /// reference: what in-sample agreement hides, selection bias. 0 in the mean where the
    /// candidates have the reference's rates. Errors by class, of both sets. Of the other
    /// strategies: of the chosen images, as regression_as_chosen.
    Estimate regression;
    /// The same with the buckets as they were chosen: held_out minus in_sample.
    Estimate regression_as_chosen;
    std::vector<BucketFrequencies> buckets;  ///< match_buckets of them
    std::vector<std::string> warnings;
};
ResultType result_type(ResultOf<MatchResult>);
/// What the match shows, in sentences: each says "not shown" where its interval holds 0.
std::string verdict(const MatchResult& result);

inline constexpr int match_buckets = 5;
/// [0,.2) [.2,.4) [.4,.6) [.6,.8) [.8,1] by integers: floor(5 k / n), at most 4.
int match_bucket(int n, int k);
/// Images in each bucket.
std::vector<std::uint64_t> bucket_counts(const Readings& set);
/// per_class shared by a histogram as published: floors, then one more each to the largest
/// remainders, ties to the higher bucket. All 0 for an empty histogram. With few images per class
/// the same buckets get nothing in class after class.
std::vector<int> match_targets(const std::vector<int>& histogram, int per_class);
/// The same with one draw u of [0, 1): floor(C_b + u) - floor(C_b-1 + u), C the shares' running
/// sums. Each target is one of the two whole numbers beside its share, and its mean is the share.
std::vector<int> drawn_targets(const std::vector<int>& histogram, int per_class, double u);

/// For each class of the reference: buckets are filled from low to high by sampling without
/// replacement; what a bucket lacks is asked of the next higher one, and what the last lacks is
/// missing. The annotators of each candidate are split at random into those that choose, those that
/// say `easy`, and the held-out rest: nobody is used twice. Throws usage; bad_input when no class
/// has candidates, or when a set has no image with so many annotators.
MatchResult match(const Readings& reference, const Readings& candidates, const StudyNames& names,
                  const MatchOptions& options);

/// How many of the chosen images a classifier predicts correctly.
struct MatchedAccuracy {
    std::string classifier;
    std::uint64_t hits = 0;
    Estimate accuracy;  ///< Wilson's interval; n: chosen images whose hit is known
};
ResultType result_type(ResultOf<MatchedAccuracy>);
/// Throws bad_input when no hit on a chosen image is known.
std::vector<MatchedAccuracy> matched_accuracies(const MatchResult& result,
                                                const Readings& candidates, const Hits& hits);

}  // namespace assay::replication
