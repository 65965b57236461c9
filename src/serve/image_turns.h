// Limits how many images are sent to a person at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace assay::serve {

/// Thread-safe. Turns may outlive this object.
class ImageTurns {
public:
    explicit ImageTurns(std::size_t most) : state_(std::make_shared<State>()), most_(most) {}

    /// A turn, which is returned when its last copy is destroyed; nullptr if this person has
    /// reached the limit.
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
