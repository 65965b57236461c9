// Assigns screens to annotators: in the order of asking, the first screens that need more answers
// than people currently hold. Nobody is asked twice, and no question is asked more often than
// requested.
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
    /// An active annotator.
    struct Worker {
        std::int64_t annotator = 0;
        /// training screens, in order, including answered ones
        std::vector<std::uint32_t> training;
        std::unordered_set<std::uint32_t> answered;  ///< screens
        std::set<std::uint32_t> holds;               ///< screens that the annotator's page has
        double last = 0;                             ///< time of the last activity, in seconds
        std::uint32_t first_left = 0;                ///< all screens before this one are answered
    };

    /// `training` is the number of screens with known answers that everybody begins with. At most
    /// half of such screens are used.
    void begin(const Board& board, std::uint32_t training);

    /// Creates the worker of an annotator, including their answered screens. `name` determines the
    /// training.
    Worker& worker(const Board& board, std::int64_t annotator, std::string_view name);
    bool is_training(const Worker& worker, std::uint32_t screen) const;
    std::uint32_t training_done(const Worker& worker) const;
    /// The number of training screens that were answered or can be shown.
    std::uint32_t training_of(const Board& board, const Worker& worker) const;

    /// Gives a screen to a worker, even if others have it.
    void hold(const Board& board, Worker& worker, std::uint32_t screen);
    void release(const Board& board, Worker& worker, std::uint32_t screen);
    void release_all(const Board& board, std::int64_t annotator);
    /// Releases the screens of workers who were inactive since then.
    void expire(const Board& board, double before);
    /// Call this if the screen's answers changed, or whether it is wanted.
    void update(const Board& board, std::uint32_t screen);

    /// The next screen for this worker, who then holds it, or nothing if no screen is left.
    std::optional<std::uint32_t> next(const Board& board, Worker& worker);
    /// The number of screens that need answers and that this worker has not answered.
    std::uint64_t left(const Board& board, const Worker& worker) const;
    const std::map<std::int64_t, Worker>& workers() const noexcept { return workers_; }

private:
    std::vector<std::uint32_t> drawn_training(const Board& board, std::string_view name) const;

    std::map<std::int64_t, Worker> workers_;  ///< by annotator
    std::vector<std::uint32_t> holders_;      ///< number of holders of each screen
    /// screens that need more answers than workers hold them
    std::set<std::uint32_t> open_;
    std::uint64_t needing_ = 0;         ///< number of screens that need answers
    std::vector<bool> needs_;           ///< true if each screen needs answers
    std::vector<std::uint32_t> known_;  ///< screens with only known answers
    std::uint32_t training_ = 0;
};

}  // namespace assay::labelling
