// Computes a ranking and its uncertainty from people's answers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"
#include "assay/mad/competition.h"
#include "assay/mad/pairs.h"
#include "assay/mad/posterior.h"
#include "assay/mad/ranking.h"
#include "assay/report.h"
#include "assay/result_type.h"

namespace assay::mad {

/// The rule for combining the answers to a question.
enum class VoteRule : std::uint8_t {
    majority,
    dawid_skene,  ///< weights annotators by how often they agree with the outcome
};
std::string_view name_of(VoteRule);
/// Throws usage with the known names.
VoteRule vote_rule_named(std::string_view name);

/// The score that orders the classifiers. Classifiers without a chain of pairs with images between
/// them are ranked separately.
enum class PlacedBy : std::uint8_t {
    perron,     ///< Perron's vector: every pair has images, and pairs were asked evenly
    hodge,      ///< HodgeRank: some pairs have no images
    posterior,  ///< the posterior's scores: some pairs were asked more than others because they
                ///< told more, which biases plain frequencies
};
std::string_view name_of(PlacedBy);

struct RankOptions {
    VoteRule votes = VoteRule::majority;
    RatioOptions ratios;
    PosteriorOptions posterior;
    std::uint32_t bootstraps = 1000;  ///< replicates over images and annotators; 0 means none
    /// Use only the first k of each pair's places; 0 uses all.
    std::uint32_t k = 0;
    /// Also compute the ranking for smaller k.
    bool ablation = false;
    /// csv with columns model and score (or accuracy, or rank) to compare the ranking with; ""
    /// compares nothing.
    std::filesystem::path against;
    /// csv with columns image and tag (or mode, or tags separated by `;`): also rank without the
    /// images of each tag. "" uses the tags that annotators added to their answers.
    std::filesystem::path tags;
    bool by_tag = true;  ///< compute Ranking::tags, at the cost of a ranking for each tag
    /// The threshold for stopping: the expected Kendall correlation with the ranking from all
    /// selected images.
    double stop_at = 0.9;
    /// Names of classifiers to exclude, in addition to the removed classifiers.
    std::vector<std::string> without;
    int threads = 0;
};
ResultType result_type(ResultOf<RankOptions>);

struct RankedClassifier {
    std::string name;
    double perron = 0;  ///< Perron's vector: positive, with sum 1
    double hodge = 0;   ///< HodgeRank's score, with mean 0 in its component
    std::uint32_t component = 0;
    double place = 0;  ///< place by the score in Ranking::placed_by
    /// From the posterior, for all images of the selected kind. The selected ones are a sample of
    /// these, so uncertainty remains even if everything is answered.
    Estimate score, rank;
    std::optional<Interval> bootstrap_rank;  ///< interval of `place` over images and annotators
    std::uint64_t images = 0;                ///< distinct images of its pairs
    Estimate correct;  ///< proportion of these with a correct label; says nothing about other
                       ///< images
    /// Accuracy on all images of the competition, from the control sample.
    Estimate accuracy;
};
ResultType result_type(ResultOf<RankedClassifier>);

struct RankedPair {
    PairCounts counts;  ///< first, second: indices in Ranking::classifiers
    std::uint32_t wanted = 0, accepted = 0, asked = 0;
    std::uint64_t open = 0;        ///< places that were asked, but have an unsettled question
    std::uint64_t to_replace = 0;  ///< places that nobody can judge; neither open nor in `counts`
    /// How much more often an ideal combination of the two is correct than the better one, on the
    /// images of the pair: the smaller of the proportions on which only one is correct. Its
    /// interval joins those of both. Undefined without settled images.
    Estimate combined_gain;
};

struct AblationRow {
    std::uint32_t k = 0;
    std::uint64_t images = 0;  ///< images of all pairs
    Estimate srcc, kendall;    ///< correlation with the full ranking; undefined across groups
    std::vector<double> places;
};
ResultType result_type(ResultOf<AblationRow>);

/// A classifier in two orders. Ranks are among the compared classifiers; ties share the mean rank.
struct ComparedRank {
    std::string classifier;
    double rank = 0;   ///< in this ranking
    double other = 0;  ///< in the other order
    double moved = 0;  ///< other - rank: above 0 if it ranks better here
};
ResultType result_type(ResultOf<ComparedRank>);

struct Comparison {
    std::string with;  ///< the other order: "accuracy (control sample)" or a file's name
    std::uint32_t classifiers = 0;
    Estimate srcc, kendall;  ///< bootstrap intervals if compared with a file; undefined across
                             ///< groups
    std::vector<ComparedRank> ranks;  ///< the best first; empty across groups
};
ResultType result_type(ResultOf<Comparison>);

/// A classifier on the images with one tag.
struct TaggedClassifier {
    std::string classifier;
    std::uint64_t images = 0;  ///< settled images of its pairs with the tag
    std::uint64_t wrong = 0;   ///< of these, with a wrong label
    /// The places with all images, and without those of the tag, by the same rule. Nothing if no
    /// chain of pairs joins the same classifiers.
    std::optional<double> place, without;
};
ResultType result_type(ResultOf<TaggedClassifier>);
struct RankedTag {
    std::string tag;
    std::uint64_t images = 0;  ///< distinct settled images
    std::vector<TaggedClassifier> classifiers;
};
ResultType result_type(ResultOf<RankedTag>);

struct Ranking {
    RankOptions options;
    CompetitionSettings settings;
    std::vector<RankedClassifier> classifiers;  ///< in the competition's order
    std::vector<RankedPair> pairs;
    std::uint64_t cases[3] = {0, 0, 0};  ///< I, II, III over all pairs
    std::uint64_t replaced = 0;
    PairMatrix aggressiveness{0}, log_ratios{0}, better{0};
    double eigenvalue = 0, consistency_index = 0, cyclicity = 0;
    std::uint32_t components = 1;
    PlacedBy placed_by = PlacedBy::perron;
    /// The probability that two classifiers are in the wrong order, averaged over pairs, and the
    /// resulting Kendall's tau, 1 minus twice that. Compared with the order on all images of the
    /// selected kind ...
    double error = 0, expected_tau = 0;
    /// ... and compared with the order after all selected images are answered: 1 when they are.
    double list_error = 0, list_tau = 0;
    /// Distinct images with both questions settled, the places of pairs that use them, and the
    /// effective number of independent images, as in Posterior::effective_images.
    std::uint64_t images = 0, places = 0;
    double effective_images = 0;
    double spread = 0, all_but_equal = 0;  ///< the fields of Posterior
    bool enough = false;  ///< list_tau has reached stop_at, so no further answers are needed
    std::vector<AblationRow> ablation;
    std::vector<Comparison> comparisons;
    std::vector<RankedTag> tags;
    std::uint64_t control = 0;  ///< images of the control sample
    /// Distinct questions for these classifiers' places and the control sample. Of these, `settled`
    /// have a known answer, and `open` are still needed and not settled. `answers` is the number of
    /// answers that count, and `annotators` the number of people who gave them.
    std::uint64_t questions = 0, settled = 0, open = 0, answers = 0, annotators = 0;
    /// The number of questions that places share and that are asked only once (as in
    /// QuestionRound::saved), and the number of questions without sharing.
    std::uint64_t saved = 0, needed_without_sharing = 0;
    double answers_per_question = 0;  ///< for settled questions, without gold
    std::vector<std::string> warnings;
};

/// Throws usage if nothing is selected or settled (with the next command), and for unknown names.
/// Throws bad_input for files that cannot be used.
/// Cost: well under a second for 11 classifiers with 1,000 bootstraps and 2,000 draws.
Ranking rank_classifiers(const Competition& competition, const RankOptions& options = {});
/// Schema "assay.mad_ranking/1", see docs/results.md.
ResultType result_type(ResultOf<Ranking>);
/// The report is partial while questions are open.
Report report_of(const Ranking& ranking);

struct CompetitionStatus {
    CompetitionSettings settings;
    std::uint64_t images = 0;
    std::vector<CompetitionClassifier> classifiers;
    std::uint64_t pairs = 0, pairs_selected = 0, short_pairs = 0;  ///< short pairs: fewer than k
    std::uint64_t accepted = 0, replaced = 0, duplicates = 0, excluded = 0, control = 0;
    std::uint64_t questions = 0, gold = 0, settled = 0, open = 0, unclear = 0;
    /// Unsettled questions that are no longer asked: images replaced or classifiers removed.
    std::uint64_t unwanted = 0;
    /// Distinct questions for accepted places and the control sample that were not asked yet.
    std::uint64_t unasked = 0;
    std::uint64_t unasked_places = 0;  ///< accepted places without asked questions
    std::uint64_t to_replace = 0;      ///< places whose images people cannot judge
    struct Annotator {
        std::string name;
        bool blocked = false;
        std::uint64_t answers = 0, yes = 0, cannot_say = 0;
        Estimate gold;       ///< proportion of gold questions answered correctly
        Estimate agreement;  ///< with the majority of other annotators, if any
    };
    std::vector<Annotator> annotators;
    std::string next;  ///< the command to run next
    std::vector<std::string> warnings;
};
CompetitionStatus status_of(const Competition& competition);
ResultType result_type(ResultOf<CompetitionStatus::Annotator>);
/// Schema "assay.mad_status/1", see docs/results.md.
ResultType result_type(ResultOf<CompetitionStatus>);
Report report_of(const CompetitionStatus& status);

}  // namespace assay::mad
