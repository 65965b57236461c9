// Finds items by their text without copying the texts: 8 to 16 bytes per item.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace assay {

/// `TextOf` returns the text of item i, which must not change. Add each item once.
template <class TextOf>
class StringIndex {
public:
    StringIndex(std::size_t items, TextOf text_of)
        : text_of_(std::move(text_of)), slots_(std::bit_ceil(2 * items + 1), 0) {}

    /// Returns the earlier item with the same text, or nothing if the item is new. A new item is
    /// added to the index.
    std::optional<std::uint32_t> insert(std::uint32_t item) {
        const std::string_view text = text_of_(item);
        const std::size_t slot = slot_of(text);
        if (slots_[slot] != 0) return slots_[slot] - 1;
        slots_[slot] = item + 1;
        return std::nullopt;
    }

    std::optional<std::uint32_t> find(std::string_view text) const {
        const std::size_t slot = slot_of(text);
        if (slots_[slot] == 0) return std::nullopt;
        return slots_[slot] - 1;
    }

private:
    /// The slot of the text, or the free slot for it.
    std::size_t slot_of(std::string_view text) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = std::hash<std::string_view>{}(text)&mask;
        while (slots_[slot] != 0 && text_of_(slots_[slot] - 1) != text) slot = (slot + 1) & mask;
        return slot;
    }

    TextOf text_of_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace assay
