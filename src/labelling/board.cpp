#include "labelling/board.h"

#include <algorithm>
#include <utility>

#include "assay/mad/pairs.h"

namespace assay::labelling {

std::uint32_t answers_needed(const std::vector<Answer>& said, std::uint32_t votes) {
    if (mad::is_settled(said, votes)) return 0;
    std::uint32_t fewest = votes - static_cast<std::uint32_t>(said.size());
    // The smallest number assumes unanimous answers, which settle a question fastest.
    for (const Answer all : {Answer::no, Answer::yes, Answer::cannot_say}) {
        std::vector<Answer> then = said;
        for (std::uint32_t more = 1; more < fewest; ++more) {
            then.push_back(all);
            if (mad::is_settled(then, votes)) fewest = more;
        }
    }
    return fewest;
}

Board::Board(Contents contents, std::uint32_t votes, bool settles_early,
             const std::vector<study::AnnotatorRow>& annotators,
             const std::vector<study::AnswerRow>& answers)
    : contents_(std::move(contents)),
      votes_(votes),
      settles_early_(settles_early),
      questions_(contents_.questions.size()),
      screen_of_(contents_.questions.size()),
      about_(contents_.images.size()) {
    for (std::size_t q = 0; q < contents_.questions.size(); ++q) {
        by_token_.emplace(contents_.questions[q].token, static_cast<std::uint32_t>(q));
        by_row_.emplace(contents_.questions[q].id, static_cast<std::uint32_t>(q));
        about_[contents_.questions[q].image].push_back(static_cast<std::uint32_t>(q));
    }
    for (std::size_t s = 0; s < contents_.screens.size(); ++s)
        for (const std::uint32_t q : contents_.screens[s])
            screen_of_[q] = static_cast<std::uint32_t>(s);
    for (const study::AnnotatorRow& row : annotators) blocked_[row.id] = row.blocked;
    for (const study::AnswerRow& row : answers) {
        if (const std::optional<std::uint32_t> q = find_row(row.question))
            questions_[*q].given.push_back({row.annotator, row.answer});
    }
    for (std::size_t q = 0; q < questions_.size(); ++q) judge(q);
}

std::optional<std::uint32_t> Board::find(std::string_view token) const {
    const auto found = by_token_.find(token);
    return found == by_token_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> Board::find_row(std::int64_t id) const {
    const auto found = by_row_.find(id);
    return found == by_row_.end() ? std::nullopt : std::optional(found->second);
}

void Board::judge(std::size_t q) {
    Question& question = questions_[q];
    std::vector<Answer> said;
    for (const Question::Given& given : question.given) {
        if (is_blocked(given.annotator)) continue;
        if (said.size() < votes_) said.push_back(given.answer);
    }
    if (settles_early_) {
        question.needed = answers_needed(said, votes_);
        question.unclear = question.needed == 0 && mad::settle(said).unclear;
    } else {
        question.needed = votes_ - static_cast<std::uint32_t>(said.size());
        question.unclear = false;
    }
    question.settled = question.needed == 0;
}

std::optional<Answer> Board::said(std::size_t q, std::int64_t annotator) const {
    for (const Question::Given& given : questions_[q].given)
        if (given.annotator == annotator) return given.answer;
    return std::nullopt;
}

bool Board::answered(std::size_t screen, std::int64_t annotator) const {
    bool any = false;
    for (const std::uint32_t q : contents_.screens[screen]) {
        const bool is_said = said(q, annotator).has_value();
        if (!is_said && !questions_[q].skipped) return false;
        any = any || is_said;
    }
    return any;
}

std::uint32_t Board::needed(std::size_t screen) const {
    std::uint32_t most = 0;
    for (const std::uint32_t q : contents_.screens[screen]) {
        if (!contents_.questions[q].wanted || questions_[q].skipped) continue;
        most = std::max(most, questions_[q].needed);
    }
    return most;
}

bool Board::is_known(std::size_t screen) const {
    const auto& questions = contents_.screens[screen];
    return std::all_of(questions.begin(), questions.end(),
                       [&](std::uint32_t q) { return contents_.questions[q].known.has_value(); });
}

bool Board::record(std::size_t q, std::int64_t annotator, Answer answer) {
    Question& question = questions_[q];
    const bool was_unclear = question.unclear;
    const auto there =
        std::find_if(question.given.begin(), question.given.end(),
                     [&](const Question::Given& given) { return given.annotator == annotator; });
    if (there != question.given.end()) {
        there->answer = answer;
    } else {
        question.given.push_back({annotator, answer});
    }
    judge(q);
    return question.unclear != was_unclear;
}

bool Board::is_blocked(std::int64_t annotator) const {
    const auto blocked = blocked_.find(annotator);
    return blocked != blocked_.end() && blocked->second;
}

void Board::skip(std::uint32_t image, bool skipped) {
    for (const std::uint32_t q : about_[image]) questions_[q].skipped = skipped;
}

}  // namespace assay::labelling
