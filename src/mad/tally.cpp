#include "mad/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "assay/annotation/aggregate.h"
#include "assay/error.h"
#include "mad/competition_items.h"

namespace assay::mad {
namespace {

std::vector<Answer> said(const QuestionTally& question) {
    std::vector<Answer> answers;
    for (const AnswerRow& row : question.deciding()) answers.push_back(row.answer);
    return answers;
}

/// True if the remaining answers could make the question unclear, or clear again.
bool clarity_is_open(const QuestionTally& question, std::uint32_t wanted) {
    const auto answers = static_cast<std::uint32_t>(question.decisive);
    if (answers >= wanted) return false;
    const auto given = question.deciding();
    const auto cannot = static_cast<std::uint32_t>(
        std::count_if(given.begin(), given.end(),
                      [](const AnswerRow& a) { return a.answer == Answer::cannot_say; }));
    const bool can_be = 5 * (cannot + wanted - answers) >= 4 * wanted;
    const bool must_be = 5 * cannot >= 4 * wanted;
    return can_be && !must_be;
}

void tally_majority(QuestionTally& question, std::uint32_t wanted) {
    question.decisive = std::min<std::size_t>(question.answers.size(), wanted);
    const std::vector<Answer> answers = said(question);
    question.outcome = settle(answers);
    question.settled = is_settled(answers, wanted);
    const auto yes = std::count(answers.begin(), answers.end(), Answer::yes);
    const auto no = std::count(answers.begin(), answers.end(), Answer::no);
    if (yes + no > 0) question.yes = static_cast<double>(yes) / static_cast<double>(yes + no);
}

/// The model has two latent classes and two answers. An answer "cannot say" contains no information
/// about annotators' rates.
void tally_dawid_skene(Tally& tally) {
    VotesBuilder builder(answer_scale({"no", "yes"}));
    std::vector<std::int64_t> annotators;  // indexed by the builder's numbers
    std::vector<std::size_t> questions;    // likewise
    for (std::size_t q = 0; q < tally.of.size(); ++q) {
        for (const AnswerRow& row : tally.of[q].deciding()) {
            if (row.answer == Answer::cannot_say) continue;
            const std::uint32_t annotator = builder.annotator(fmt::to_string(row.annotator));
            const std::uint32_t question = builder.question(
                fmt::to_string(tally.questions[q].image), fmt::to_string(tally.questions[q].label));
            if (annotator == annotators.size()) annotators.push_back(row.annotator);
            if (question == questions.size()) questions.push_back(q);
            builder.add(annotator, question, row.answer == Answer::yes ? 1 : 0);
        }
    }
    if (questions.empty()) return;
    const DawidSkene fitted = dawid_skene(builder.build(Repeats::last, "answers"));
    tally.prior_log_odds = std::log(fitted.prior[1]) - std::log(fitted.prior[0]);
    for (std::size_t a = 0; a < annotators.size(); ++a) {
        // For each annotator, a row for each latent class, with a column for each answer.
        const double* const rates = &fitted.confusion[a * 4];
        tally.log_ratio[annotators[a]] = {std::log(rates[2]) - std::log(rates[0]),
                                          std::log(rates[3]) - std::log(rates[1])};
    }
    for (std::size_t b = 0; b < questions.size(); ++b) {
        QuestionTally& question = tally.of[questions[b]];
        question.yes = fitted.yes[b];
        question.outcome.yes = question.yes > .5;
        const bool sure = question.yes >= Tally::sure || question.yes <= 1 - Tally::sure;
        question.settled = question.settled || (sure && !clarity_is_open(question, tally.wanted));
    }
}

}  // namespace

PlaceTally place_tally(const Tally& tally, const SelectedRow& row) {
    PlaceTally place;
    place.first = tally.find(row.image, row.first_label);
    place.second = tally.find(row.image, row.second_label);
    const auto unclear = [](const QuestionTally* q) { return q != nullptr && q->unclear(); };
    const auto known = [](const QuestionTally* q) { return q != nullptr && q->known(); };
    if (unclear(place.first) || unclear(place.second))
        place.state = PlaceState::unclear;
    else if (known(place.first) && known(place.second))
        place.state = PlaceState::known;
    return place;
}

std::string_view name_of(VoteRule rule) {
    return rule == VoteRule::dawid_skene ? "dawid-skene" : "majority";
}

VoteRule vote_rule_named(std::string_view name) {
    for (const VoteRule rule : {VoteRule::majority, VoteRule::dawid_skene})
        if (name == name_of(rule)) return rule;
    throw Error(ErrorCode::usage,
                fmt::format("unknown rule of votes `{}`; known: majority, dawid-skene", name));
}

std::uint64_t Tally::settled() const {
    return static_cast<std::uint64_t>(
        std::count_if(of.begin(), of.end(), [](const QuestionTally& q) { return q.settled; }));
}

std::uint64_t Tally::answers() const {
    std::uint64_t sum = 0;
    for (const QuestionTally& question : of) sum += question.answers.size();
    return sum;
}

Tally tally_of(std::vector<QuestionRow> questions, const std::vector<AnswerRow>& answers,
               std::uint32_t wanted, VoteRule rule) {
    Tally tally;
    tally.rule = rule;
    tally.wanted = wanted;
    tally.questions = std::move(questions);
    tally.of.resize(tally.questions.size());
    std::map<std::int64_t, std::size_t> by_id;
    for (std::size_t q = 0; q < tally.questions.size(); ++q) {
        const QuestionRow& row = tally.questions[q];
        by_id[row.id] = q;
        tally.place[{row.image, row.label}] = q;
    }
    for (const AnswerRow& row : answers) {
        const auto found = by_id.find(row.question);
        if (found != by_id.end()) tally.of[found->second].answers.push_back(row);
    }
    for (QuestionTally& question : tally.of) tally_majority(question, wanted);
    if (rule == VoteRule::dawid_skene) tally_dawid_skene(tally);
    for (std::size_t q = 0; q < tally.questions.size(); ++q) {
        if (!tally.questions[q].gold) continue;
        tally.of[q].gold = true;
        tally.of[q].outcome.yes = *tally.questions[q].gold;
        tally.of[q].outcome.unclear = false;
        tally.of[q].yes = *tally.questions[q].gold ? 1 : 0;
    }
    return tally;
}

Tally tally_of(const Competition& competition, VoteRule rule) {
    const Database& database = competition.impl().database;
    return tally_of(read_questions(database), read_answers(database), competition.settings().votes,
                    rule);
}

std::optional<Case> case_of_place(const Tally& tally, const SelectedRow& row) {
    if (row.state == SelectedState::replaced) return Case::replaced;
    if (row.state != SelectedState::accepted || !row.asked) return std::nullopt;
    const PlaceTally place = place_tally(tally, row);
    if (place.state == PlaceState::unclear) return Case::replaced;
    if (place.state != PlaceState::known) return std::nullopt;
    return case_of(place.first->outcome, place.second->outcome);
}

namespace {

/// The pairs whose classifiers take part, and the pair of each of their places.
struct CountedPairs {
    std::vector<PairCounts> counts;  ///< so far with only the classifiers
    std::map<std::int64_t, std::size_t> of_pair;

    CountedPairs(const std::vector<PairRow>& pairs, const std::vector<std::uint32_t>& numbers) {
        const auto place_of = [&](std::uint32_t number) {
            return static_cast<std::uint32_t>(
                std::lower_bound(numbers.begin(), numbers.end(), number) - numbers.begin());
        };
        for (const PairRow& pair : pairs) {
            const std::uint32_t first = place_of(pair.first), second = place_of(pair.second);
            if (first == numbers.size() || numbers[first] != pair.first) continue;
            if (second == numbers.size() || numbers[second] != pair.second) continue;
            of_pair[pair.id] = counts.size();
            counts.push_back({.first = first, .second = second});
        }
    }
};

}  // namespace

std::vector<PairCounts> counts_of_pairs(const Tally& tally, const std::vector<PairRow>& pairs,
                                        const std::vector<SelectedRow>& selected,
                                        const std::vector<std::uint32_t>& numbers,
                                        std::uint32_t first_places) {
    CountedPairs counted(pairs, numbers);
    for (const SelectedRow& row : selected) {
        const auto found = counted.of_pair.find(row.pair);
        if (found == counted.of_pair.end()) continue;
        if (first_places != 0 && row.place >= first_places) continue;
        PairCounts& counts = counted.counts[found->second];
        if (row.state == SelectedState::replaced) ++counts.replaced;
        if (row.state != SelectedState::accepted) continue;
        if (!row.asked) continue;
        const PlaceTally place = place_tally(tally, row);
        if (place.state == PlaceState::unclear) ++counts.replaced;
        if (place.state == PlaceState::known)
            count(counts, place.first->outcome, place.second->outcome);
    }
    return counted.counts;
}

ImageFacts facts_of_images(const Competition& competition, const std::vector<SelectedRow>& selected,
                           const std::map<std::int64_t, double>& weights) {
    ImageFacts facts;
    facts.weights = weights;
    std::set<std::int64_t> images;
    for (const SelectedRow& row : selected) images.insert(row.image);
    std::map<std::string, std::uint64_t, std::less<>> first_of;
    visit_attribute(competition, "parent",
                    [&](std::uint64_t number, std::string_view id, std::string_view parent) {
                        if (!images.contains(static_cast<std::int64_t>(number))) return;
                        const std::string name(parent.empty() ? id : parent);
                        facts.clusters[static_cast<std::int64_t>(number)] =
                            first_of.try_emplace(name, number).first->second;
                    });
    return facts;
}

AnsweredPlaces answered_places(const Tally& tally, const std::vector<PairRow>& pairs,
                               const std::vector<SelectedRow>& selected,
                               const std::vector<std::uint32_t>& numbers, const ImageFacts& facts) {
    const CountedPairs counted(pairs, numbers);
    AnsweredPlaces out;
    for (const PairCounts& counts : counted.counts)
        out.pairs.push_back({counts.first, counts.second, 0});
    for (const SelectedRow& row : selected) {
        const auto found = counted.of_pair.find(row.pair);
        if (found == counted.of_pair.end() || row.state != SelectedState::accepted) continue;
        ++out.pairs[found->second].list;
        if (!row.asked) continue;
        const PlaceTally place = place_tally(tally, row);
        if (place.state != PlaceState::known) continue;
        AnsweredPlace& one = out.places.emplace_back();
        one.pair = static_cast<std::uint32_t>(found->second);
        one.image = static_cast<std::uint64_t>(row.image);
        one.first = place.first->outcome.yes;
        one.second = place.second->outcome.yes;
        if (!facts.clusters.empty()) one.cluster = facts.clusters.at(row.image);
        const auto weight = facts.weights.find(row.image);
        if (weight != facts.weights.end()) one.weight = weight->second;
    }
    return out;
}

}  // namespace assay::mad
