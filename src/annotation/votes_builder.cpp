#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "annotation/pool_questions.h"
#include "assay/annotation/votes.h"
#include "assay/error.h"
#include "core/text.h"
#include "data/text_numbers.h"

namespace assay {
namespace {

constexpr std::uint64_t most_of_a_kind = std::uint64_t{1} << 31;
constexpr std::uint64_t most_implied = 100'000'000;

void check_room(std::size_t count, std::string_view what) {
    if (count >= most_of_a_kind)
        throw Error(ErrorCode::bad_input, fmt::format("more than 2^31 {}", what));
}

}  // namespace

struct VotesBuilder::Impl {
    AnswerScale scale;
    TextNumbers annotators, items, labels;
    std::unordered_map<std::uint64_t, std::uint32_t> questions;
    std::vector<std::uint32_t> question_item, question_label;
    std::vector<std::uint32_t> vote_question, vote_code;  ///< in the order of arrival
    std::vector<char> further;  ///< for each vote: whether it belongs to the previous answer
    VoteProblems problems;

    std::uint32_t annotator_of(std::size_t vote) const {
        return vote_code[vote] / static_cast<std::uint32_t>(scale.names.size());
    }
    void take_texts(Votes& votes, const MeaningsOf& meanings);
    void one_answer_each(Votes& votes, Repeats repeats, std::string_view source);
    void add_implied(Votes& votes);
    void sort_votes(Votes& votes, Repeats repeats, std::string_view source);
};

VotesBuilder::VotesBuilder(AnswerScale scale) : impl_(std::make_unique<Impl>()) {
    impl_->scale = std::move(scale);
}
VotesBuilder::~VotesBuilder() = default;
VotesBuilder::VotesBuilder(VotesBuilder&&) noexcept = default;

std::uint32_t VotesBuilder::annotator(std::string_view name) {
    check_room(impl_->annotators.texts().size() * impl_->scale.names.size(),
               "annotators times answers");
    return impl_->annotators(name);
}

std::uint32_t VotesBuilder::question(std::string_view item, std::string_view label) {
    check_room(impl_->question_item.size(), "questions");
    const std::uint32_t i = impl_->items(item), l = impl_->labels(label);
    const auto next = static_cast<std::uint32_t>(impl_->question_item.size());
    const auto [at, is_new] = impl_->questions.try_emplace((std::uint64_t{i} << 32) | l, next);
    if (is_new) {
        impl_->question_item.push_back(i);
        impl_->question_label.push_back(l);
    }
    return at->second;
}

void VotesBuilder::add(std::uint32_t annotator, std::uint32_t question, std::uint32_t answer,
                       bool further) {
    if (annotator >= impl_->annotators.texts().size() || question >= impl_->question_item.size() ||
        answer >= impl_->scale.names.size()) {
        throw Error(ErrorCode::internal, "a vote of an unknown annotator, question or answer");
    }
    impl_->vote_question.push_back(question);
    impl_->vote_code.push_back(
        static_cast<std::uint32_t>(annotator * impl_->scale.names.size() + answer));
    impl_->further.push_back(further ? 1 : 0);
}

VoteProblems& VotesBuilder::problems() {
    return impl_->problems;
}

std::size_t VotesBuilder::votes() const {
    return impl_->vote_code.size();
}

void VotesBuilder::replace_answer(std::uint32_t from, std::uint32_t to) {
    const auto answers = static_cast<std::uint32_t>(impl_->scale.names.size());
    for (std::uint32_t& code : impl_->vote_code)
        if (code % answers == from) code += to - from;
}

/// Takes the texts, and merges those with several names.
void VotesBuilder::Impl::take_texts(Votes& votes, const MeaningsOf& meanings) {
    votes.scale = scale;
    votes.annotators = annotators.take();
    votes.items = items.take();
    votes.labels = labels.take();
    votes.question_item = std::move(question_item);
    votes.question_label = std::move(question_label);
    votes.read = vote_code.size();
    if (!meanings) return;
    // This comes before the search for repeated votes, because an annotator may answer one question
    // under two names.
    const auto numbers = pool_questions(votes, meanings(votes));
    for (std::uint32_t& question : vote_question) question = numbers[question];
}

/// Selects the counting answers of one annotator about one item.
void VotesBuilder::Impl::one_answer_each(Votes& votes, Repeats repeats, std::string_view source) {
    const auto item_of = [&](std::size_t v) { return votes.question_item[vote_question[v]]; };
    std::vector<std::uint32_t> answers;  // the first vote of each answer
    for (std::uint32_t v = 0; v < further.size(); ++v)
        if (further[v] == 0) answers.push_back(v);
    const auto end_of = [&](std::uint32_t first) {
        std::size_t end = first + std::size_t{1};
        while (end < further.size() && further[end] != 0) ++end;
        return end;
    };
    const auto same_classes = [&](std::uint32_t a, std::uint32_t b) {
        return std::equal(vote_question.begin() + a,
                          vote_question.begin() + static_cast<std::ptrdiff_t>(end_of(a)),
                          vote_question.begin() + b,
                          vote_question.begin() + static_cast<std::ptrdiff_t>(end_of(b)));
    };
    const auto key = [&](std::uint32_t v) { return std::pair(item_of(v), annotator_of(v)); };
    std::stable_sort(answers.begin(), answers.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    std::vector<char> counts(vote_code.size(), 1);
    for (auto first = answers.begin(); first != answers.end();) {
        const auto last = std::find_if(first, answers.end(),
                                       [&](std::uint32_t v) { return key(v) != key(*first); });
        const auto extra = static_cast<std::uint64_t>(last - first - 1);
        votes.repeated += extra;
        if (extra > 0 && repeats != Repeats::all) {
            const auto where = [&] {
                return fmt::format("annotator `{}` chose a class of `{}` {} times",
                                   shortened(votes.annotators[annotator_of(*first)]),
                                   shortened(votes.items[item_of(*first)]), last - first);
            };
            if (repeats == Repeats::refuse) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("{}: {}; allowed with --repeats first, last or all", source,
                                        where()));
            }
            const bool same =
                std::all_of(first, last, [&](std::uint32_t v) { return same_classes(v, *first); });
            for (std::uint64_t i = 0; i < extra; ++i)
                problems.add(same ? "repeated vote" : "repeated vote that contradicts", where);
            const std::uint32_t kept = repeats == Repeats::last ? *(last - 1) : *first;
            for (auto answer = first; answer != last; ++answer)
                for (std::size_t v = *answer, end = end_of(*answer); v < end; ++v)
                    counts[v] = *answer == kept ? 1 : 0;
        }
        first = last;
    }
    std::size_t kept = 0;
    for (std::size_t v = 0; v < counts.size(); ++v) {
        if (counts[v] == 0) continue;
        vote_question[kept] = vote_question[v];
        further[kept] = further[v];
        vote_code[kept++] = vote_code[v];
    }
    vote_question.resize(kept);
    vote_code.resize(kept);
    further.resize(kept);
}

/// An annotator who chose classes of an item said no to the other classes that were chosen for it.
void VotesBuilder::Impl::add_implied(Votes& votes) {
    const std::size_t said = vote_code.size();
    std::vector<std::uint64_t> begin(votes.items.size() + 1, 0);  // start of each item's questions
    for (const std::uint32_t item : votes.question_item) ++begin[item + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::uint32_t> by_item(votes.questions());
    std::vector<std::uint64_t> next = begin;
    for (std::uint32_t q = 0; q < votes.questions(); ++q)
        by_item[next[votes.question_item[q]]++] = q;
    const auto answers = static_cast<std::uint32_t>(scale.names.size());
    for (std::size_t first = 0; first < said;) {
        std::size_t last = first + 1;
        while (last < said && further[last] != 0) ++last;
        const auto chosen = std::span(vote_question).subspan(first, last - first);
        const std::uint32_t item = votes.question_item[chosen[0]],
                            no = annotator_of(first) * answers;
        std::vector<std::uint32_t> others;
        for (std::uint64_t at = begin[item]; at < begin[item + 1]; ++at)
            if (std::ranges::find(chosen, by_item[at]) == chosen.end())
                others.push_back(by_item[at]);
        votes.implied += others.size();
        if (votes.implied > most_implied) {
            throw Error(ErrorCode::bad_input,
                        "the chosen classes imply more than 100,000,000 answers: too many classes "
                        "for too few images");
        }
        vote_question.insert(vote_question.end(), others.begin(), others.end());
        vote_code.insert(vote_code.end(), others.size(), no);
        first = last;
    }
}

Votes VotesBuilder::build(Repeats repeats, std::string_view source, const MeaningsOf& meanings) {
    Votes votes;
    impl_->take_texts(votes, meanings);
    impl_->sort_votes(votes, repeats, source);
    *impl_ = Impl{};
    impl_->scale = votes.scale;
    return votes;
}

Votes VotesBuilder::build_classes(Repeats repeats, std::string_view source,
                                  const MeaningsOf& meanings) {
    Votes votes;
    const std::vector<char>& further = impl_->further;
    votes.which_class = std::ranges::find(further, 1) == further.end();
    impl_->take_texts(votes, meanings);
    impl_->one_answer_each(votes, repeats, source);
    impl_->add_implied(votes);
    const std::uint64_t repeated = votes.repeated;
    impl_->sort_votes(votes, Repeats::all, source);
    votes.repeated = repeated;
    *impl_ = Impl{};
    impl_->scale = votes.scale;
    return votes;
}

void VotesBuilder::Impl::sort_votes(Votes& votes, Repeats repeats, std::string_view source) {
    const std::size_t n = vote_code.size();
    const auto answers = static_cast<std::uint32_t>(scale.names.size());
    const std::size_t asked = votes.questions();

    // Counting sort, which is stable, so that the votes of a question keep their order.
    std::vector<std::uint64_t> next(asked + 1, 0);
    for (const std::uint32_t q : vote_question) ++next[q + 1];
    for (std::size_t q = 0; q < asked; ++q) next[q + 1] += next[q];
    std::vector<std::uint64_t> begin = next;
    votes.codes.resize(n);
    for (std::size_t v = 0; v < n; ++v) votes.codes[next[vote_question[v]]++] = vote_code[v];

    const auto annotator_in = [&](std::uint32_t code) { return code / answers; };
    votes.begin.assign(1, 0);
    votes.begin.reserve(asked + 1);
    std::uint64_t kept = 0;
    for (std::size_t q = 0; q < asked; ++q) {
        const auto first = votes.codes.begin() + static_cast<std::ptrdiff_t>(begin[q]);
        const auto last = votes.codes.begin() + static_cast<std::ptrdiff_t>(begin[q + 1]);
        const auto by_annotator = [&](std::uint32_t a, std::uint32_t b) {
            return annotator_in(a) < annotator_in(b);
        };
        if (!std::is_sorted(first, last, by_annotator)) std::stable_sort(first, last, by_annotator);
        for (auto v = first; v != last;) {
            auto stop = v + 1;
            while (stop != last && annotator_in(*stop) == annotator_in(*v)) ++stop;
            const auto extra = static_cast<std::uint64_t>(stop - v - 1);
            votes.repeated += extra;
            if (extra > 0) {
                const auto where = [&] {
                    return fmt::format("annotator `{}` answered {} times whether `{}` fits `{}`",
                                       shortened(votes.annotators[annotator_in(*v)]), stop - v,
                                       shortened(votes.labels[votes.question_label[q]]),
                                       shortened(votes.items[votes.question_item[q]]));
                };
                if (repeats == Repeats::refuse) {
                    throw Error(ErrorCode::bad_input,
                                fmt::format("{}: {}; allowed with --repeats first, last or all",
                                            source, where()));
                }
                const bool same =
                    std::all_of(v, stop, [&](std::uint32_t code) { return code == *v; });
                const std::string_view kind = repeats == Repeats::all ? ""
                                              : same                  ? "repeated vote"
                                                     : "repeated vote that contradicts";
                for (std::uint64_t i = 0; i < extra && !kind.empty(); ++i)
                    problems.add(kind, where);
            }
            // Kept votes move towards the front, never past the read position.
            if (repeats == Repeats::all) {
                std::sort(v, stop);
                for (auto one = v; one != stop; ++one) votes.codes[kept++] = *one;
            } else {
                votes.codes[kept++] = repeats == Repeats::last ? *(stop - 1) : *v;
            }
            v = stop;
        }
        votes.begin.push_back(kept);
    }
    votes.codes.resize(kept);
    votes.problems = std::move(problems);
}

}  // namespace assay
