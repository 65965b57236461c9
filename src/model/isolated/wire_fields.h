// The fields of a message: numbers, texts, lists of texts, one behind the other.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/isolated/wire.h"

namespace assay::isolated {

inline constexpr std::size_t longest_text = 8192;
inline constexpr std::size_t longest_note = 2048;
inline constexpr std::size_t most_texts = 16;

/// Throws bad_input.
[[noreturn]] void wire_nonsense(std::string_view what);

class MessageWriter {
public:
    explicit MessageWriter(MessageKind kind) { bytes_.push_back(static_cast<char>(kind)); }
    MessageWriter& number(std::uint64_t value) { return raw(&value, sizeof value); }
    MessageWriter& real(double value) { return raw(&value, sizeof value); }
    MessageWriter& text(std::string_view value) {
        number(value.size());
        return raw(value.data(), value.size());
    }
    MessageWriter& texts(const std::vector<std::string>& values) {
        const std::size_t count = std::min(values.size(), most_texts);
        number(count);
        for (std::size_t i = 0; i < count; ++i)
            text(std::string_view(values[i]).substr(0, longest_note));
        return *this;
    }
    std::string take() { return std::move(bytes_); }

private:
    MessageWriter& raw(const void* data, std::size_t size) {
        bytes_.append(static_cast<const char*>(data), size);
        return *this;
    }
    std::string bytes_;
};

class MessageReader {
public:
    MessageReader(std::string_view message, MessageKind kind) : rest_(message) {
        if (kind_of(message) != kind) wire_nonsense("a message of another kind");
        rest_.remove_prefix(1);
    }
    /// In [0, most].
    std::uint64_t number(std::uint64_t most) {
        std::uint64_t value = 0;
        raw(&value, sizeof value);
        if (value > most) wire_nonsense(fmt::format("{} where at most {} is allowed", value, most));
        return value;
    }
    double real() {
        double value = 0;
        raw(&value, sizeof value);
        return value;
    }
    std::string text(std::size_t longest = longest_text) {
        std::string value(number(longest), '\0');
        raw(value.data(), value.size());
        return value;
    }
    std::vector<std::string> texts() {
        std::vector<std::string> values(number(most_texts));
        for (std::string& value : values) value = text(longest_note);
        return values;
    }
    void finish() const {
        if (!rest_.empty()) wire_nonsense("a message with more behind its end");
    }

private:
    void raw(void* out, std::size_t size) {
        if (rest_.size() < size) wire_nonsense("a message that is cut short");
        if (size > 0) std::memcpy(out, rest_.data(), size);
        rest_.remove_prefix(size);
    }
    std::string_view rest_;
};

}  // namespace assay::isolated
