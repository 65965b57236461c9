// Numbers distinct texts in the order of first occurrence, without a string object for each.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// Memory: 12 bytes per text, plus the text itself.
class TextNumbers {
public:
    /// The text's number. An unknown text gets a new one.
    std::uint32_t operator()(std::string_view text) {
        if (texts_.size() > 0 && last_ < texts_.size() && texts_[last_] == text)
            return last_;  // equal texts often follow each other in tables
        if (2 * (texts_.size() + 1) > slots_.size()) grow();
        const std::size_t slot = slot_of(text);
        if (slots_[slot] == 0) {
            texts_.append(text);
            slots_[slot] = static_cast<std::uint32_t>(texts_.size());
        }
        return last_ = slots_[slot] - 1;
    }
    std::optional<std::uint32_t> find(std::string_view text) const {
        if (slots_.empty()) return std::nullopt;
        const std::size_t slot = slot_of(text);
        if (slots_[slot] == 0) return std::nullopt;
        return slots_[slot] - 1;
    }
    const StringColumn& texts() const noexcept { return texts_; }
    StringColumn take() { return std::move(texts_); }

private:
    std::size_t slot_of(std::string_view text) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = std::hash<std::string_view>{}(text)&mask;
        while (slots_[slot] != 0 && texts_[slots_[slot] - 1] != text) slot = (slot + 1) & mask;
        return slot;
    }
    void grow() {
        slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), 0);
        for (std::uint32_t i = 0; i < texts_.size(); ++i) slots_[slot_of(texts_[i])] = i + 1;
    }

    StringColumn texts_;
    std::vector<std::uint32_t> slots_;
    std::uint32_t last_ = 0;
};

}  // namespace assay
