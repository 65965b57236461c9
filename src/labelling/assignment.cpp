#include "labelling/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/random.h"

namespace assay::labelling {
namespace {

bool can_be_shown(const Board& board, std::uint32_t screen) {
    const auto& questions = board.questions_of(screen);
    return std::any_of(questions.begin(), questions.end(),
                       [&](std::uint32_t q) { return !board.question(q).skipped; });
}

}  // namespace

void Assignment::begin(const Board& board, std::uint32_t training) {
    const std::size_t screens = board.contents().screens.size();
    workers_.clear();
    open_.clear();
    known_.clear();
    holders_.assign(screens, 0);
    needs_.assign(screens, false);
    needing_ = 0;
    for (std::size_t s = 0; s < screens; ++s) {
        if (board.is_known(s)) known_.push_back(static_cast<std::uint32_t>(s));
        update(board, static_cast<std::uint32_t>(s));
    }
    training_ = std::min(training, static_cast<std::uint32_t>(known_.size() / 2));
}

/// A hash of the name draws the screens. So people get different training questions, and the known
/// answers that one person sees still test others. Screens with first answers yes and no
/// alternate.
std::vector<std::uint32_t> Assignment::drawn_training(const Board& board,
                                                      std::string_view name) const {
    std::array<std::vector<std::pair<std::uint64_t, std::uint32_t>>, 2> shuffled;
    for (const std::uint32_t s : known_) {
        const AskedQuestion& first = board.contents().questions[board.questions_of(s).front()];
        RandomStream draw(0, fmt::format("labelling training {} {}", first.token, name));
        shuffled[*first.known ? 1 : 0].push_back({draw.next_u64(), s});
    }
    for (auto& some : shuffled) std::sort(some.begin(), some.end());
    std::vector<std::uint32_t> taken;
    std::array<std::size_t, 2> used{};
    std::size_t side = 1;
    while (taken.size() < training_) {
        if (used[side] == shuffled[side].size()) side = 1 - side;
        taken.push_back(shuffled[side][used[side]++].second);
        side = 1 - side;
    }
    return taken;
}

Assignment::Worker& Assignment::worker(const Board& board, std::int64_t annotator,
                                       std::string_view name) {
    const auto [at, is_new] = workers_.try_emplace(annotator);
    if (!is_new) return at->second;
    Worker& worker = at->second;
    worker.annotator = annotator;
    worker.training = drawn_training(board, name);
    for (std::uint32_t s = 0; s < holders_.size(); ++s)
        if (board.answered(s, annotator)) worker.answered.insert(s);
    return worker;
}

bool Assignment::is_training(const Worker& worker, std::uint32_t screen) const {
    return std::find(worker.training.begin(), worker.training.end(), screen) !=
           worker.training.end();
}

std::uint32_t Assignment::training_done(const Worker& worker) const {
    return static_cast<std::uint32_t>(
        std::count_if(worker.training.begin(), worker.training.end(),
                      [&](std::uint32_t s) { return worker.answered.count(s) > 0; }));
}

std::uint32_t Assignment::training_of(const Board& board, const Worker& worker) const {
    return static_cast<std::uint32_t>(std::count_if(
        worker.training.begin(), worker.training.end(),
        [&](std::uint32_t s) { return worker.answered.count(s) > 0 || can_be_shown(board, s); }));
}

void Assignment::hold(const Board& board, Worker& worker, std::uint32_t screen) {
    if (!worker.holds.insert(screen).second) return;
    ++holders_[screen];
    update(board, screen);
}

void Assignment::release(const Board& board, Worker& worker, std::uint32_t screen) {
    if (worker.holds.erase(screen) == 0) return;
    --holders_[screen];
    update(board, screen);
}

void Assignment::release_all(const Board& board, std::int64_t annotator) {
    const auto found = workers_.find(annotator);
    if (found == workers_.end()) return;
    while (!found->second.holds.empty())
        release(board, found->second, *found->second.holds.begin());
}

void Assignment::expire(const Board& board, double before) {
    for (auto& [annotator, worker] : workers_) {
        if (worker.last < before) release_all(board, annotator);
    }
}

void Assignment::update(const Board& board, std::uint32_t screen) {
    const std::uint32_t needed = board.needed(screen);
    if ((needed > 0) != needs_[screen]) {
        needs_[screen] = needed > 0;
        needs_[screen] ? ++needing_ : --needing_;
    }
    if (needed > holders_[screen]) {
        open_.insert(screen);
    } else {
        open_.erase(screen);
    }
}

std::optional<std::uint32_t> Assignment::next(const Board& board, Worker& worker) {
    const auto is_free = [&](std::uint32_t s) {
        return worker.answered.count(s) == 0 && worker.holds.count(s) == 0;
    };
    std::optional<std::uint32_t> found;
    // Everybody begins with training screens, even if no more answers are needed.
    for (const std::uint32_t s : worker.training)
        if (!found && is_free(s) && can_be_shown(board, s)) found = s;
    if (!found) {
        while (worker.answered.count(worker.first_left) > 0) ++worker.first_left;
        for (auto at = open_.lower_bound(worker.first_left); !found && at != open_.end(); ++at)
            if (is_free(*at)) found = *at;
    }
    if (found) hold(board, worker, *found);
    return found;
}

std::uint64_t Assignment::left(const Board& board, const Worker& worker) const {
    std::uint64_t left = needing_;
    for (const std::uint32_t s : worker.answered) left -= needs_[s] ? 1 : 0;
    for (const std::uint32_t s : worker.training)
        left += worker.answered.count(s) == 0 && board.needed(s) == 0 && can_be_shown(board, s);
    return left;
}

}  // namespace assay::labelling
