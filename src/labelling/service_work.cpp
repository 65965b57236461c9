#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assay/error.h"
#include "core/text.h"
#include "labelling/service_impl.h"
#include "study/tags.h"
#include "study/times.h"

namespace assay::labelling {
namespace {

constexpr std::string_view page_source = "labelling page";
constexpr std::string_view training_source = "labelling page, training";

TakenScreen refused(const GivenScreen& given, std::string why) {
    TakenScreen taken;
    taken.key = given.key;
    taken.state = TakenScreen::State::refused;
    taken.message = std::move(why);
    return taken;
}

/// Adds the indices of the answered questions with their answers to `out`, in the order of the
/// screen. Returns "" or the fault. `annotator` is 0 before their first answer. With `some`, the
/// annotator may skip questions of the screen.
std::string match(const Board& board, std::uint32_t screen, const GivenScreen& given,
                  std::int64_t annotator, bool some,
                  std::vector<std::pair<std::uint32_t, Answer>>& out) {
    std::map<std::uint32_t, Answer> said;
    for (const auto& [token, answer] : given.answers) {
        const std::optional<std::uint32_t> q = board.find(token);
        if (!q || board.screen_of(*q) != screen)
            return "an answer belongs to no question of the screen";
        if (!said.emplace(*q, answer).second) return "a question is answered twice";
    }
    if (said.empty()) return "nothing is answered";
    for (const std::uint32_t q : board.questions_of(screen)) {
        const auto found = said.find(q);
        if (found != said.end()) {
            out.push_back({q, found->second});
        } else if (!some && !board.question(q).skipped && !board.said(q, annotator)) {
            return "a question of the screen is not answered";
        }
    }
    return "";
}

}  // namespace

bool is_answer_key(std::string_view key) {
    return key.size() >= 8 && key.size() <= 64 && std::all_of(key.begin(), key.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '-';
           });
}

Screen Service::Impl::shown(const Assignment::Worker& worker, std::uint32_t screen,
                            bool with_said) const {
    const Contents& contents = board.contents();
    Screen out;
    out.token = contents.questions[board.questions_of(screen).front()].token;
    out.training = was_trained(worker, screen);
    std::map<std::uint32_t, std::uint32_t> place;
    for (const std::uint32_t q : board.questions_of(screen)) {
        const std::optional<Answer> before = board.said(q, worker.annotator);
        // Skips answered questions: an image of a grid may have been repaired after other images
        // were answered.
        if (board.question(q).skipped || (before && !with_said)) continue;
        const AskedQuestion& question = contents.questions[q];
        const auto [label, is_new] =
            place.emplace(question.label, static_cast<std::uint32_t>(out.labels.size()));
        if (is_new) out.labels.push_back(contents.labels[question.label]);
        out.cells.push_back({question.token, label->second});
        if (with_said) out.said.push_back(before.value_or(Answer::cannot_say));
    }
    return out;
}

bool Service::Impl::was_given(std::int64_t annotator, std::uint32_t screen) const {
    const auto found = given.find(annotator);
    return (found != given.end() && found->second.count(screen) > 0) ||
           board.answered(screen, annotator);
}

bool Service::Impl::was_trained(const Assignment::Worker& worker, std::uint32_t screen) const {
    const auto found = trained.find(worker.annotator);
    return assignment.is_training(worker, screen) ||
           (found != trained.end() && found->second.count(screen) > 0);
}

void Service::Impl::count_tags(const std::vector<std::string>& of_answer, bool counts) {
    for (const std::string& tag : of_answer) {
        if (counts) {
            ++tags[tag];
            continue;
        }
        const auto used = tags.find(tag);
        if (used != tags.end() && --used->second == 0) tags.erase(used);
    }
}

TakenScreen Service::Impl::take(std::int64_t person, const GivenScreen& said,
                                const std::string& at) {
    if (!is_answer_key(said.key))
        return refused(said, "the key is not 8 to 64 letters, digits and -");
    const std::optional<std::uint32_t> screen = screen_named(said.screen);
    if (!screen) return refused(said, "there is no such screen");
    Assignment::Worker& who = worker(person);
    const std::int64_t annotator = who.annotator;
    if (!was_given(annotator, *screen))
        return refused(said, "this question was not given to this annotator");
    // A browser may fail to show an image of a grid, so its question may stay open.
    const bool some = book->task == Task::grid;
    std::vector<std::pair<std::uint32_t, Answer>> answers;
    if (std::string wrong = match(board, *screen, said, annotator, some, answers); !wrong.empty())
        return refused(said, std::move(wrong));

    if (!said.tags.empty() && !book->takes_tags)
        return refused(said, "answers of this study have no tags");
    std::vector<std::string> said_tags;
    try {
        said_tags = study::checked_tags(said.tags, "the tags");
    } catch (const Error& error) {
        return refused(said, error.message());
    }

    using Known = study::AnswerWriter::Known;
    const bool training = was_trained(who, *screen);
    std::vector<study::GivenAnswer> all;
    std::size_t there = 0;
    bool was_told = false;
    for (const auto& [q, answer] : answers) {
        const AskedQuestion& asked = board.contents().questions[q];
        all.push_back(
            {.question = asked.id,
             .annotator = annotator,
             .answer = answer,
             .at = at,
             .source = training ? training_source : page_source,
             .key = fmt::format("page/{}/{}/{}", said.key, asked.token, people.of(person).name),
             .tags = study::stored_tags(said_tags)});
        const Known known = writer.find(all.back());
        if (known == Known::other) return refused(said, "the key belongs to another answer");
        there += known == Known::same ? 1 : 0;
        was_told = was_told || (training && board.said(q, annotator));
    }
    if (there > 0 && there < answers.size())
        return refused(said, "the key belongs to another answer");
    TakenScreen taken;
    taken.key = said.key;
    if (there > 0) {
        taken.state = TakenScreen::State::repeated;
    } else if (was_told) {
        return refused(said, "answers of the training cannot be changed");
    } else {
        writing();
        for (study::GivenAnswer& one : all) {
            // The answer with the latest time counts. A new answer never gets an earlier time than
            // the old one, so that it counts even if a clock was set back.
            const auto before = writer.counting(one.question, annotator);
            if (before && study::is_utc_moment(before->at)) one.at = std::max(at, before->at);
            writer.write(one, true);
            if (before) count_tags(study::tags_from(before->tags), false);
            count_tags(said_tags, true);
        }
        for (const auto& [q, answer] : answers)
            reread = board.record(q, annotator, answer) || reread;
        if (training) trained[annotator].insert(*screen);
        note_pace(annotator, at);
        changed = true;
    }
    assignment.release(board, who, *screen);
    // Does not immediately ask the same person about images that their browser could not
    // show.
    if (some || board.answered(*screen, annotator)) who.answered.insert(*screen);
    assignment.update(board, *screen);
    if (!training) return taken;
    for (const auto& [q, answer] : answers) {
        const AskedQuestion& question = board.contents().questions[q];
        if (!question.known) continue;
        const Answer known = *question.known ? Answer::yes : Answer::no;
        taken.feedback.push_back({question.token, known, answer == known});
    }
    return taken;
}

Welcome Service::welcome(std::int64_t person) const {
    Welcome out;
    out.study = impl_->people.study();
    out.title = impl_->book->title;
    out.name = impl_->people.of(person).name;
    out.task = impl_->book->task;
    out.ahead = impl_->options.ahead;
    const Assignment::Worker& worker = impl_->worker(person);
    out.training = impl_->assignment.training_of(impl_->board, worker);
    out.training_done = impl_->assignment.training_done(worker);
    out.paused = impl_->people.paused();
    if (impl_->book->takes_tags) out.tags = impl_->suggested_tags();
    return out;
}

Work Service::work(std::int64_t person, const std::vector<GivenScreen>& given,
                   const std::vector<std::string>& holding, std::uint32_t wanted) {
    Impl& in = *impl_;
    Work out;
    in.assignment.expire(in.board, in.now() - static_cast<double>(in.options.lease.count()));
    Assignment::Worker& worker = in.worker(person);
    const std::set<std::uint32_t> held_before = worker.holds;
    const std::string at = study::utc_moment_now();
    for (const GivenScreen& one : given) out.taken.push_back(in.take(person, one, at));

    worker.last = in.now();
    const bool may_work = !in.board.is_blocked(worker.annotator);
    std::set<std::uint32_t> kept;
    for (const std::string& token : holding) {
        const std::optional<std::uint32_t> screen = in.screen_named(token);
        if (screen && may_work && worker.answered.count(*screen) == 0 &&
            in.was_given(worker.annotator, *screen))
            kept.insert(*screen);
    }
    const std::set<std::uint32_t> held = worker.holds;
    for (const std::uint32_t screen : held)
        if (kept.count(screen) == 0) in.assignment.release(in.board, worker, screen);
    // The page still has its screens after a restart.
    for (const std::uint32_t screen : kept)
        if (worker.holds.size() < in.options.ahead) in.assignment.hold(in.board, worker, screen);

    while (!in.people.paused() && may_work && out.screens.size() < wanted &&
           worker.holds.size() < in.options.ahead) {
        const std::optional<std::uint32_t> next = in.assignment.next(in.board, worker);
        if (!next) break;
        if (in.given[worker.annotator].insert(*next).second) {
            in.writing();
            const std::uint32_t first = in.board.questions_of(*next).front();
            in.writer.give(in.board.contents().questions[first].id, worker.annotator);
        }
        out.screens.push_back(in.shown(worker, *next, false));
    }
    if (worker.holds != held_before) in.handed.insert(person);
    if (!in.together) in.keep_held();
    out.state = in.people.paused()     ? Work::State::paused
                : worker.holds.empty() ? Work::State::nothing
                                       : Work::State::work;
    out.answered = worker.answered.size();
    out.left = may_work ? in.assignment.left(in.board, worker) : 0;
    out.training = in.assignment.training_of(in.board, worker);
    out.training_done = in.assignment.training_done(worker);
    return out;
}

std::optional<Screen> Service::answered(std::int64_t person, std::string_view token) const {
    const std::optional<std::uint32_t> screen = impl_->screen_named(token);
    if (!screen) return std::nullopt;
    const Assignment::Worker& worker = impl_->worker(person);
    if (worker.answered.count(*screen) == 0 || impl_->was_trained(worker, *screen))
        return std::nullopt;
    Screen out = impl_->shown(worker, *screen, true);
    const Contents& contents = impl_->board.contents();
    const std::uint32_t first = impl_->board.questions_of(*screen).front();
    const auto before = impl_->writer.counting(contents.questions[first].id, worker.annotator);
    if (before) out.tags = study::tags_from(before->tags);
    return out;
}

}  // namespace assay::labelling
