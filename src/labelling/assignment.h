// Who is asked what next: in the order of asking, the first screens that need more answers than
// people hold them now. Nobody is asked twice, and nothing is asked more often than wanted.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "labelling/board.h"

namespace assay::labelling {

class Assignment {
public:
    /// An annotator at work.
    struct Worker {
        std::int64_t annotator = 0;
        std::vector<std::uint32_t> training;         ///< screens, in order; those answered too
        std::unordered_set<std::uint32_t> answered;  ///< screens
        std::set<std::uint32_t> holds;               ///< screens that the page has
        double last = 0;                             ///< seconds, when something was heard
        std::uint32_t first_left = 0;                ///< all screens before it are answered
    };

    /// `training`: screens with known answers that everybody begins with, at most half of them.
    void begin(const Board& board, std::uint32_t training);

    /// Makes the worker of an annotator, with what was answered. `name`: decides on the training.
    Worker& worker(const Board& board, std::int64_t annotator, std::string_view name);
    bool is_training(const Worker& worker, std::uint32_t screen) const;
    std::uint32_t training_done(const Worker& worker) const;
    /// Screens of the training that were answered or can be shown.
    std::uint32_t training_of(const Board& board, const Worker& worker) const;

    /// Gives a screen to a worker, whoever else has it.
    void hold(const Board& board, Worker& worker, std::uint32_t screen);
    void release(const Board& board, Worker& worker, std::uint32_t screen);
    void release_all(const Board& board, std::int64_t annotator);
    /// Workers who were not heard of since then hold nothing any more.
    void expire(const Board& board, double before);
    /// Something about the screen changed: answers, or whether it is wanted.
    void update(const Board& board, std::uint32_t screen);

    /// The next one for this worker, held from now on; nothing is left otherwise.
    std::optional<std::uint32_t> next(const Board& board, Worker& worker);
    /// Screens that need answers of somebody, and that this worker has not answered.
    std::uint64_t left(const Board& board, const Worker& worker) const;
    const std::map<std::int64_t, Worker>& workers() const noexcept { return workers_; }

private:
    std::vector<std::uint32_t> drawn_training(const Board& board, std::string_view name) const;

    std::map<std::int64_t, Worker> workers_;  ///< by annotator
    std::vector<std::uint32_t> holders_;      ///< of each screen
    std::set<std::uint32_t> open_;            ///< screens that need more than hold them
    std::uint64_t needing_ = 0;               ///< screens that need answers
    std::vector<bool> needs_;                 ///< of each screen
    std::vector<std::uint32_t> known_;        ///< screens all of whose answers are known
    std::uint32_t training_ = 0;
};

}  // namespace assay::labelling
