// The outcome of a competition's answers: whether each question is settled, and the counts of each
// pair.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "assay/mad/posterior.h"
#include "assay/mad/rank.h"
#include "mad/competition_rows.h"

namespace assay::mad {

/// (image, label)
using QuestionKey = std::pair<std::int64_t, std::uint16_t>;

/// The two questions of a place.
inline std::array<QuestionKey, 2> questions_of(const SelectedRow& row) {
    return {QuestionKey{row.image, row.first_label}, QuestionKey{row.image, row.second_label}};
}

struct QuestionTally {
    std::vector<AnswerRow> answers;  ///< answers that count, by annotators who are not blocked
    /// The number of first answers that decide, as in the settings. Later answers do not change a
    /// settled question.
    std::size_t decisive = 0;
    /// True if no further answer, up to the number in the settings, can change the majority. With
    /// Dawid and Skene, it is also true for a posterior of at least `sure` or at most 1 - `sure`.
    /// Then two of five must be able to say, so that the question cannot become unclear. Asking and
    /// answering use the majority, which settles a question under any rule.
    bool settled = false;
    /// The answer by the majority, or by Dawid and Skene's posterior above 1/2. Valid if known().
    /// For a gold question, it is the known answer.
    Settled outcome;
    double yes = 0.5;   ///< probability of yes: the proportion, or the posterior
    bool gold = false;  ///< its answer is known, but it is still asked

    bool known() const { return settled || gold; }
    bool unclear() const { return known() && outcome.unclear; }
    std::span<const AnswerRow> deciding() const { return {answers.data(), decisive}; }
};

/// The outcome of the two questions of a place.
enum class PlaceState : std::uint8_t {
    open,
    known,    ///< both answers are known
    unclear,  ///< nobody can judge one of them, so that the other does not matter: the image
              ///< will be replaced
};
struct Tally {
    static constexpr double sure = 0.98;

    VoteRule rule = VoteRule::majority;
    std::uint32_t wanted = 0;            ///< settings.votes
    std::vector<QuestionRow> questions;  ///< as read_questions()
    std::vector<QuestionTally> of;       ///< one entry per question
    std::map<QuestionKey, std::size_t> place;

    /// With Dawid and Skene: the log odds of a yes before any answer, and the contribution of each
    /// annotator's no and yes.
    double prior_log_odds = 0;
    std::map<std::int64_t, std::array<double, 2>> log_ratio;

    /// nullptr if it does not exist.
    const QuestionTally* find(const QuestionKey& key) const {
        const auto found = place.find(key);
        return found == place.end() ? nullptr : &of[found->second];
    }
    const QuestionTally* find(std::int64_t image, std::uint16_t label) const {
        return find({image, label});
    }
    std::uint64_t settled() const;
    std::uint64_t open() const { return of.size() - settled(); }
    std::uint64_t answers() const;
};
/// Cost: one read of questions and answers, plus Dawid and Skene's fit.
Tally tally_of(const Competition& competition, VoteRule rule = VoteRule::majority);
/// The same from rows, with questions sorted by id and answers by question.
Tally tally_of(std::vector<QuestionRow> questions, const std::vector<AnswerRow>& answers,
               std::uint32_t wanted, VoteRule rule = VoteRule::majority);

/// The two questions of a place; nullptr if it does not exist.
struct PlaceTally {
    const QuestionTally *first = nullptr, *second = nullptr;
    PlaceState state = PlaceState::open;
};
/// Uses only the questions. The place's row says whether it is accepted and asked.
PlaceTally place_tally(const Tally& tally, const SelectedRow& row);
inline PlaceState place_state(const Tally& tally, const SelectedRow& row) {
    return place_tally(tally, row).state;
}

/// The outcome of a place, as counts_of_pairs() counts it. Nothing for a near duplicate, a place
/// that was not asked, or open questions.
std::optional<Case> case_of_place(const Tally& tally, const SelectedRow& row);

/// Counts of a pair's asked places whose questions are both known. One entry per pair of `pairs`
/// whose classifiers take part, in order. `numbers` are the numbers of these classifiers,
/// ascending; `first` and `second` are indices into it. Replaced places, and places with
/// an unclear question, count as replaced. Uses the first `first_places` places; 0 uses
/// all.
std::vector<PairCounts> counts_of_pairs(const Tally& tally, const std::vector<PairRow>& pairs,
                                        const std::vector<SelectedRow>& selected,
                                        const std::vector<std::uint32_t>& numbers,
                                        std::uint32_t first_places = 0);

/// Properties of selected images, by image.
struct ImageFacts {
    /// Images with one parent vary together; empty if images have no attribute `parent`.
    std::map<std::int64_t, std::uint64_t> clusters;
    std::map<std::int64_t, double> weights;  ///< image_weights(); 1 if missing
};
ImageFacts facts_of_images(const Competition& competition, const std::vector<SelectedRow>& selected,
                           const std::map<std::int64_t, double>& weights);

/// The same places one by one, in the order of `selected`, and for each pair the number of all
/// accepted places. The pairs are as in counts_of_pairs().
AnsweredPlaces answered_places(const Tally& tally, const std::vector<PairRow>& pairs,
                               const std::vector<SelectedRow>& selected,
                               const std::vector<std::uint32_t>& numbers, const ImageFacts& facts);

}  // namespace assay::mad
