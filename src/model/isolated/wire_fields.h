// The fields of a message in sequence: numbers, texts, lists of texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_fields.h"
#include "model/isolated/wire.h"

namespace assay::isolated {

inline constexpr std::size_t longest_text = 8192;
inline constexpr std::size_t longest_note = 2048;
inline constexpr std::size_t most_texts = 16;

/// Throws bad_input.
[[noreturn]] void wire_nonsense(std::string_view what);

class MessageWriter : private FieldWriter {
public:
    explicit MessageWriter(MessageKind kind) {
        const auto byte = static_cast<char>(kind);
        raw(&byte, 1);
    }
    MessageWriter& number(std::uint64_t value) {
        FieldWriter::number(value);
        return *this;
    }
    MessageWriter& real(double value) {
        FieldWriter::real(value);
        return *this;
    }
    MessageWriter& text(std::string_view value) {
        FieldWriter::text(value);
        return *this;
    }
    MessageWriter& texts(const std::vector<std::string>& values) {
        const std::size_t count = std::min(values.size(), most_texts);
        number(count);
        for (std::size_t i = 0; i < count; ++i)
            text(std::string_view(values[i]).substr(0, longest_note));
        return *this;
    }
    using FieldWriter::take;
};

class MessageReader : public FieldReader {
public:
    MessageReader(std::string_view message, MessageKind kind)
        : FieldReader(message.substr(std::min<std::size_t>(message.size(), 1)), wire_nonsense) {
        if (kind_of(message) != kind) wire_nonsense("a message of the wrong kind");
    }
    std::string text(std::size_t longest = longest_text) { return FieldReader::text(longest); }
    std::vector<std::string> texts() {
        std::vector<std::string> values(number(most_texts));
        for (std::string& value : values) value = text(longest_note);
        return values;
    }
};

}  // namespace assay::isolated
