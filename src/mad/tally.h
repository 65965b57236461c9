// What the answers of a competition come to: each question settled or not, each pair counted.
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
    std::vector<AnswerRow> answers;  ///< that count, of annotators who are not blocked
    /// So many of them decide, the first ones: as many as the settings want. What is settled stays
    /// so, whoever answers later.
    std::size_t decisive = 0;
    /// No further answer, of those that the settings want, can change the majority. With Dawid and
    /// Skene's posterior also where that is at least `sure`, or at most 1 - `sure`, and no further
    /// answers could make the question unclear: two who can say are needed for that, of five.
    /// Whoever asks and answers goes by the majority: what that settles is settled by any rule.
    bool settled = false;
    /// By the majority, or by Dawid and Skene's posterior above 1/2; meaningful where known().
    /// Of a gold question the known answer, whatever people said.
    Settled outcome;
    double yes = 0.5;   ///< how probable it is: the proportion of yes, or that posterior
    bool gold = false;  ///< its answer is known; it is asked all the same

    bool known() const { return settled || gold; }
    bool unclear() const { return known() && outcome.unclear; }
    std::span<const AnswerRow> deciding() const { return {answers.data(), decisive}; }
};

/// What the two questions of a place come to.
enum class PlaceState : std::uint8_t {
    open,
    known,    ///< both of them
    unclear,  ///< nobody can judge one of them, which decides it whatever the other comes to: the
              ///< image is to be replaced
};
struct Tally {
    static constexpr double sure = 0.98;

    VoteRule rule = VoteRule::majority;
    std::uint32_t wanted = 0;            ///< settings.votes
    std::vector<QuestionRow> questions;  ///< as read_questions()
    std::vector<QuestionTally> of;       ///< one a question
    std::map<QuestionKey, std::size_t> place;

    /// With Dawid and Skene: the logarithm of the odds of a yes before any answer, and what each
    /// annotator's no and yes add to it.
    double prior_log_odds = 0;
    std::map<std::int64_t, std::array<double, 2>> log_ratio;

    /// Null: it is not there.
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
/// Cost: one read of questions and answers; Dawid and Skene's in addition.
Tally tally_of(const Competition& competition, VoteRule rule = VoteRule::majority);
/// The same from rows: questions by id, answers by question.
Tally tally_of(std::vector<QuestionRow> questions, const std::vector<AnswerRow>& answers,
               std::uint32_t wanted, VoteRule rule = VoteRule::majority);

/// The two questions of a place; null: it is not there.
struct PlaceTally {
    const QuestionTally *first = nullptr, *second = nullptr;
    PlaceState state = PlaceState::open;
};
/// Looks at the questions alone: whether the place is accepted and asked about is its row's.
PlaceTally place_tally(const Tally& tally, const SelectedRow& row);
inline PlaceState place_state(const Tally& tally, const SelectedRow& row) {
    return place_tally(tally, row).state;
}

/// What a place has come to, as counts_of_pairs() counts it: nothing where it is a near duplicate,
/// not asked about, or left open by its questions.
std::optional<Case> case_of_place(const Tally& tally, const SelectedRow& row);

/// A pair's asked places whose both questions are known. One a pair of `pairs` whose classifiers
/// take part, in their order. `numbers`: the numbers of those, ascending; `first` and `second` are
/// places in it. Places of which a question is unclear are counted as replaced, as are those that
/// were replaced. `first_places`: only places below it; 0: all.
std::vector<PairCounts> counts_of_pairs(const Tally& tally, const std::vector<PairRow>& pairs,
                                        const std::vector<SelectedRow>& selected,
                                        const std::vector<std::uint32_t>& numbers,
                                        std::uint32_t first_places = 0);

/// Of selected images, by image.
struct ImageFacts {
    /// Those of one parent move together; empty where images have no attribute `parent`.
    std::map<std::int64_t, std::uint64_t> clusters;
    std::map<std::int64_t, double> weights;  ///< image_weights(); where it is missing, 1
};
ImageFacts facts_of_images(const Competition& competition, const std::vector<SelectedRow>& selected,
                           const std::map<std::int64_t, double>& weights);

/// The same places one by one, in the order of `selected`, and of each pair all accepted places,
/// asked or not; pairs as counts_of_pairs().
AnsweredPlaces answered_places(const Tally& tally, const std::vector<PairRow>& pairs,
                               const std::vector<SelectedRow>& selected,
                               const std::vector<std::uint32_t>& numbers, const ImageFacts& facts);

}  // namespace assay::mad
