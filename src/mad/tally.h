// What the answers of a competition come to: each question settled or not, each pair counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "assay/mad/posterior.h"
#include "assay/mad/rank.h"
#include "mad/tables.h"

namespace assay::mad {

struct QuestionTally {
    std::vector<AnswerRow> answers;  ///< that count, of annotators who are not blocked
    /// No further answer, of those that the settings want, can change it.
    bool settled = false;
    /// By the majority, or by Dawid and Skene's posterior; meaningful where settled.
    Settled outcome;
    double yes = 0.5;  ///< how probable it is: the proportion of yes, or that posterior
};

struct Tally {
    std::vector<QuestionRow> questions;                                   ///< as read_questions()
    std::vector<QuestionTally> of;                                        ///< one a question
    std::map<std::pair<std::int64_t, std::uint16_t>, std::size_t> place;  ///< (image, label)

    const QuestionTally* find(std::int64_t image, std::uint16_t label) const {
        const auto found = place.find({image, label});
        return found == place.end() ? nullptr : &of[found->second];
    }
};
/// Cost: one read of questions and answers; Dawid and Skene's in addition.
Tally tally_of(const Competition& competition, VoteRule rule = VoteRule::majority);

/// A pair's asked places as the posterior takes them: `counts` of those whose both questions are
/// settled, `list` all accepted ones. `first` and `second` are places in `numbers`, the numbers of
/// the classifiers that take part. Places of which a question is unclear are counted as replaced.
std::vector<PairSample> samples_of(const Tally& tally, const std::vector<PairRow>& pairs,
                                   const std::vector<SelectedRow>& selected,
                                   const std::vector<std::uint32_t>& numbers,
                                   std::uint32_t first_places = 0);

}  // namespace assay::mad
