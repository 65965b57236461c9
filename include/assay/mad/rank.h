// From people's answers to a ranking that says how sure it is.
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

/// How the answers to a question become one.
enum class VoteRule : std::uint8_t {
    majority,
    dawid_skene,  ///< annotators weigh by how often they agree with what comes out
};
std::string_view name_of(VoteRule);
/// Throws usage with the known names.
VoteRule vote_rule_named(std::string_view name);

/// Where the places come from. Classifiers that no chain of pairs with images joins have places of
/// their own by any of them.
enum class PlacedBy : std::uint8_t {
    perron,     ///< Perron's vector: every pair has images, answered evenly
    hodge,      ///< HodgeRank: pairs without images
    posterior,  ///< the posterior's scores: of some pairs more images were asked than of others,
                ///< where they told most, which makes plain frequencies lean
};
std::string_view name_of(PlacedBy);

struct RankOptions {
    VoteRule votes = VoteRule::majority;
    RatioOptions ratios;
    PosteriorOptions posterior;
    std::uint32_t bootstraps = 1000;  ///< of images and annotators; 0: none
    /// Only the first k of each pair's places; 0: all.
    std::uint32_t k = 0;
    /// The ranking for smaller k, beside the whole one.
    bool ablation = false;
    /// csv, columns model and score (or accuracy, or rank): what to compare the ranking with; "":
    /// nothing.
    std::filesystem::path against;
    /// The question whether to go on: the expected Kendall correlation of the ranking with the one
    /// that all selected images would give.
    double stop_at = 0.9;
    /// Names of classifiers to leave out, beside those that were removed.
    std::vector<std::string> without;
    int threads = 0;
};
ResultType result_type(ResultOf<RankOptions>);

struct RankedClassifier {
    std::string name;
    double perron = 0;  ///< Perron's vector: positive, sums to 1
    double hodge = 0;   ///< HodgeRank's score: mean 0 in its component
    std::uint32_t component = 0;
    double place = 0;  ///< by Ranking::placed_by
    /// Of the posterior, for all images of the kind that was selected: the selected ones are a
    /// sample of them, so that these stay unsure when all is answered.
    Estimate score, rank;
    std::optional<Interval> bootstrap_rank;  ///< of `place`, over images and annotators
    std::uint64_t images = 0;                ///< different ones, of its pairs
    Estimate correct;  ///< proportion of these on which it is correct; says nothing
                       ///< about other images
    /// From the control sample: accuracy on all images of the competition.
    Estimate accuracy;
};
ResultType result_type(ResultOf<RankedClassifier>);

struct RankedPair {
    PairCounts counts;  ///< first, second: places in Ranking::classifiers
    std::uint32_t wanted = 0, accepted = 0, asked = 0;
    std::uint64_t open = 0;        ///< asked, and a question of it not settled
    std::uint64_t to_replace = 0;  ///< asked, and nobody can judge it: neither open nor in `counts`
};

struct AblationRow {
    std::uint32_t k = 0;
    std::uint64_t images = 0;  ///< of all pairs
    Estimate srcc, kendall;    ///< with the ranking of all; undefined across groups
    std::vector<double> places;
};
ResultType result_type(ResultOf<AblationRow>);

struct Comparison {
    std::string with;  ///< "accuracy (control sample)", a file's name
    std::uint32_t classifiers = 0;
    Estimate srcc, kendall;  ///< with a file: intervals of the bootstrap; undefined across groups
};
ResultType result_type(ResultOf<Comparison>);

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
    /// Probability of two classifiers in the wrong order, in the mean over the pairs, and Kendall's
    /// tau that follows, 1 - 2 of it: to the order on all images of the kind that was selected ...
    double error = 0, expected_tau = 0;
    /// ... and to the order that the selected images give when all of them are answered: 1 once
    /// they are.
    double list_error = 0, list_tau = 0;
    /// Different images with both questions settled, the places of pairs that they serve, and so
    /// many independent images in effect, as Posterior::effective_images.
    std::uint64_t images = 0, places = 0;
    double effective_images = 0;
    double spread = 0, all_but_equal = 0;  ///< as Posterior
    bool enough = false;  ///< list_tau reaches stop_at: no further answers are needed
    std::vector<AblationRow> ablation;
    std::vector<Comparison> comparisons;
    std::uint64_t control = 0;  ///< images of the control sample
    /// Different questions that these classifiers' places and the control sample asked; those that
    /// are still wanted and not settled; the answers to them that count, of so many annotators.
    std::uint64_t questions = 0, settled = 0, open = 0, answers = 0, annotators = 0;
    /// Questions that places share, and so did not ask again (as QuestionRound::saved); and had
    /// each place asked its own.
    std::uint64_t saved = 0, needed_without_sharing = 0;
    double answers_per_question = 0;  ///< of settled ones, gold apart
    std::vector<std::string> warnings;
};

/// Throws usage: nothing is selected, or no question is settled (and what to do then); unknown
/// names. Cost: well under a second for 11 classifiers with 1,000 bootstraps and 2,000 draws.
Ranking rank_classifiers(const Competition& competition, const RankOptions& options = {});
/// "assay.mad_ranking/1", docs/results.md.
ResultType result_type(ResultOf<Ranking>);
/// Partial while questions are open.
Report report_of(const Ranking& ranking);

struct CompetitionStatus {
    CompetitionSettings settings;
    std::uint64_t images = 0;
    std::vector<CompetitionClassifier> classifiers;
    std::uint64_t pairs = 0, pairs_selected = 0, short_pairs = 0;  ///< short: fewer than k
    std::uint64_t accepted = 0, replaced = 0, duplicates = 0, excluded = 0, control = 0;
    std::uint64_t questions = 0, gold = 0, settled = 0, open = 0, unclear = 0;
    /// Not settled, and nobody is asked any more: images were replaced, classifiers removed.
    std::uint64_t unwanted = 0;
    /// Different questions of accepted places and of the control sample that were not asked yet.
    std::uint64_t unasked = 0;
    std::uint64_t unasked_places = 0;  ///< accepted places that are not asked about
    std::uint64_t to_replace = 0;      ///< places whose images people cannot judge
    struct Annotator {
        std::string name;
        bool blocked = false;
        std::uint64_t answers = 0, yes = 0, cannot_say = 0;
        Estimate gold;       ///< proportion of gold questions answered as known
        Estimate agreement;  ///< with the majority of the others, where there is one
    };
    std::vector<Annotator> annotators;
    std::string next;  ///< the command to run next, as typed
    std::vector<std::string> warnings;
};
CompetitionStatus status_of(const Competition& competition);
ResultType result_type(ResultOf<CompetitionStatus::Annotator>);
/// "assay.mad_status/1", docs/results.md.
ResultType result_type(ResultOf<CompetitionStatus>);
Report report_of(const CompetitionStatus& status);

}  // namespace assay::mad
