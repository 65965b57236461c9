#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "annotation/pool_questions.h"
#include "annotation/text_numbers.h"
#include "assay/annotation/votes.h"
#include "assay/error.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::uint64_t most_of_a_kind = std::uint64_t{1} << 31;

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
    std::vector<std::uint32_t> vote_question, vote_code;  ///< in the order in which they came
    VoteProblems problems;
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

void VotesBuilder::add(std::uint32_t annotator, std::uint32_t question, std::uint32_t answer) {
    if (annotator >= impl_->annotators.texts().size() || question >= impl_->question_item.size() ||
        answer >= impl_->scale.names.size()) {
        throw Error(ErrorCode::internal, "a vote of an unknown annotator, question or answer");
    }
    impl_->vote_question.push_back(question);
    impl_->vote_code.push_back(
        static_cast<std::uint32_t>(annotator * impl_->scale.names.size() + answer));
}

VoteProblems& VotesBuilder::problems() {
    return impl_->problems;
}

Votes VotesBuilder::build(Repeats repeats, std::string_view source, const MeaningsOf& meanings) {
    Impl& from = *impl_;
    Votes votes;
    const std::size_t n = from.vote_code.size();
    const auto answers = static_cast<std::uint32_t>(from.scale.names.size());
    votes.scale = from.scale;
    votes.annotators = from.annotators.take();
    votes.items = from.items.take();
    votes.labels = from.labels.take();
    votes.question_item = std::move(from.question_item);
    votes.question_label = std::move(from.question_label);
    votes.read = n;
    if (meanings) {
        // Before repeated votes are looked for: an annotator who answers under two names has
        // answered twice.
        const auto numbers = pool_questions(votes, meanings(votes));
        for (std::uint32_t& question : from.vote_question) question = numbers[question];
    }
    const std::size_t questions = votes.questions();

    // Counting sort: stable, so that the votes of a question stay in the order in which they came.
    std::vector<std::uint64_t> next(questions + 1, 0);
    for (const std::uint32_t q : from.vote_question) ++next[q + 1];
    for (std::size_t q = 0; q < questions; ++q) next[q + 1] += next[q];
    std::vector<std::uint64_t> begin = next;
    votes.codes.resize(n);
    for (std::size_t v = 0; v < n; ++v)
        votes.codes[next[from.vote_question[v]]++] = from.vote_code[v];

    const auto annotator_of = [&](std::uint32_t code) { return code / answers; };
    votes.begin.assign(1, 0);
    votes.begin.reserve(questions + 1);
    std::uint64_t kept = 0;
    for (std::size_t q = 0; q < questions; ++q) {
        const auto first = votes.codes.begin() + static_cast<std::ptrdiff_t>(begin[q]);
        const auto last = votes.codes.begin() + static_cast<std::ptrdiff_t>(begin[q + 1]);
        const auto by_annotator = [&](std::uint32_t a, std::uint32_t b) {
            return annotator_of(a) < annotator_of(b);
        };
        if (!std::is_sorted(first, last, by_annotator)) std::stable_sort(first, last, by_annotator);
        for (auto v = first; v != last;) {
            auto stop = v + 1;
            while (stop != last && annotator_of(*stop) == annotator_of(*v)) ++stop;
            const auto extra = static_cast<std::uint64_t>(stop - v - 1);
            votes.repeated += extra;
            if (extra > 0) {
                const auto where = [&] {
                    return fmt::format("annotator `{}` answered {} times whether `{}` fits `{}`",
                                       shortened(votes.annotators[annotator_of(*v)]), stop - v,
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
                    from.problems.add(kind, where);
            }
            // What is kept moves towards the front: never past the place that is read.
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
    votes.problems = std::move(from.problems);
    *impl_ = Impl{};
    impl_->scale = votes.scale;
    return votes;
}

}  // namespace assay
