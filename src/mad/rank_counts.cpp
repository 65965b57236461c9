#include "mad/rank_counts.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/statistics.h"

namespace assay::mad {

Estimate combined_gain(const PairCounts& counts, double level) {
    const std::uint64_t n = counts.n();
    const std::uint64_t fewer = std::min(counts.only_first, counts.only_second);
    Estimate out = wilson_proportion(fewer, n, level, "none of its images is settled");
    if (n == 0) return out;
    // The smaller of two proportions is missed if either upper limit is, or one of the lower ones.
    const double each = 1 - (1 - level) * 2 / 3;
    const Interval first = wilson(counts.only_first, n, each),
                   second = wilson(counts.only_second, n, each);
    out.interval = Interval{std::min(first.low, second.low), std::min(first.high, second.high),
                            level, "wilson.both"};
    return out;
}

void describe_pairs(const RankInput& in, Ranking& out) {
    std::map<std::int64_t, std::size_t> of;
    for (std::size_t p = 0; p < in.pairs.size(); ++p) {
        of[in.pairs[p].id] = p;
        const PairCounts& counts = in.counts[p];
        RankedPair& pair = out.pairs.emplace_back();
        pair.counts = counts;
        pair.wanted = in.pairs[p].k;
        pair.combined_gain = combined_gain(counts, out.options.posterior.level);
        out.cases[0] += counts.both;
        out.cases[1] += counts.only_first + counts.only_second;
        out.cases[2] += counts.neither;
        out.replaced += counts.replaced;
    }
    if (out.options.k != 0) {
        for (RankedPair& pair : out.pairs) pair.wanted = std::min(pair.wanted, out.options.k);
    }
    for (const SelectedRow& row : in.selected) {
        if (row.state != SelectedState::accepted) continue;
        RankedPair& pair = out.pairs[of[row.pair]];
        ++pair.accepted;
        if (!row.asked) continue;
        ++pair.asked;
        const PlaceState state = place_state(in.tally, row);
        pair.open += state == PlaceState::open ? 1 : 0;
        pair.to_replace += state == PlaceState::unclear ? 1 : 0;
    }
}

void count_questions(const RankInput& in, Ranking& out) {
    std::set<QuestionKey> asked, wanted;
    std::uint64_t places = 0;
    for (const SelectedRow& row : in.selected) {
        if (row.state != SelectedState::accepted || !row.asked) continue;
        const bool unclear = place_state(in.tally, row) == PlaceState::unclear;
        for (const QuestionKey& key : questions_of(row)) {
            asked.insert(key);
            // Skips images that will be replaced, because they need no answer.
            if (!unclear) wanted.insert(key);
        }
        ++places;
    }
    out.saved = 2 * places - asked.size();
    out.control = in.control.rows.size();
    for (const QuestionKey& key : control_keys(in.control)) {
        if (in.tally.find(key) == nullptr) continue;
        asked.insert(key);
        wanted.insert(key);
    }
    std::set<std::int64_t> annotators;
    std::uint64_t settled_by_answers = 0, answers_of_settled = 0;
    for (const QuestionKey& key : asked) {
        const QuestionTally* const question = in.tally.find(key);
        if (question == nullptr) continue;
        ++out.questions;
        out.settled += question->known() ? 1 : 0;
        out.open += !question->known() && wanted.contains(key) ? 1 : 0;
        out.answers += question->answers.size();
        for (const AnswerRow& answer : question->answers) annotators.insert(answer.annotator);
        if (!question->settled || question->gold) continue;
        ++settled_by_answers;
        answers_of_settled += question->decisive;
    }
    out.needed_without_sharing = out.questions + out.saved;
    out.annotators = annotators.size();
    if (settled_by_answers > 0) {
        out.answers_per_question =
            static_cast<double>(answers_of_settled) / static_cast<double>(settled_by_answers);
    }
}

CorrectByImage correct_by_image(const RankInput& in) {
    std::map<std::int64_t, const PairRow*> pair_of;
    for (const PairRow& pair : in.pairs) pair_of[pair.id] = &pair;
    CorrectByImage seen(in.numbers.size());
    for (const SelectedRow& row : in.selected) {
        if (row.state != SelectedState::accepted || !row.asked) continue;
        const PlaceTally asked = place_tally(in.tally, row);
        if (asked.state != PlaceState::known) continue;
        const auto index = [&](std::uint32_t number) {
            return static_cast<std::size_t>(
                std::lower_bound(in.numbers.begin(), in.numbers.end(), number) -
                in.numbers.begin());
        };
        seen[index(pair_of[row.pair]->first)][row.image] = asked.first->outcome.yes;
        seen[index(pair_of[row.pair]->second)][row.image] = asked.second->outcome.yes;
    }
    return seen;
}

void count_correct(const CorrectByImage& correct, Ranking& out) {
    for (std::size_t c = 0; c < correct.size(); ++c) {
        const auto right = std::count_if(correct[c].begin(), correct[c].end(),
                                         [](const auto& image) { return image.second; });
        out.classifiers[c].images = correct[c].size();
        out.classifiers[c].correct =
            wilson_proportion(static_cast<std::uint64_t>(right), correct[c].size(),
                              out.options.posterior.level, "none of its images is settled");
    }
}

}  // namespace assay::mad
