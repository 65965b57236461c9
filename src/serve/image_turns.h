// How many images somebody is being sent at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace assay::serve {

/// Thread-safe; turns may be given back after it has gone.
class ImageTurns {
public:
    explicit ImageTurns(std::size_t most) : state_(std::make_shared<State>()), most_(most) {}

    /// A turn, given back with its last copy; nullptr: this person has as many as may be.
    std::shared_ptr<const void> take(std::int64_t person) {
        const std::lock_guard lock(state_->mutex);
        std::size_t& taken = state_->taken[person];
        if (taken >= most_) return nullptr;
        auto turn = std::make_shared<const Turn>(state_, person);
        ++taken;
        return turn;
    }

private:
    struct State {
        std::mutex mutex;
        std::unordered_map<std::int64_t, std::size_t> taken;
    };
    struct Turn {
        Turn(std::shared_ptr<State> of, std::int64_t whose) : state(std::move(of)), person(whose) {}
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn() {
            const std::lock_guard lock(state->mutex);
            const auto found = state->taken.find(person);
            if (found != state->taken.end() && --found->second == 0) state->taken.erase(found);
        }
        std::shared_ptr<State> state;
        std::int64_t person;
    };
    std::shared_ptr<State> state_;
    const std::size_t most_;
};

}  // namespace assay::serve
