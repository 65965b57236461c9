// Fields of a binary record: numbers and texts in sequence, little-endian. The reader accepts
// damaged and hostile bytes: it never reads beyond the end, and never allocates more than the bytes
// can fill.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace assay {

static_assert(std::endian::native == std::endian::little);

class FieldWriter {
public:
    FieldWriter& number(std::uint64_t value) { return raw(&value, sizeof value); }
    FieldWriter& real(double value) { return raw(&value, sizeof value); }
    FieldWriter& text(std::string_view value) {
        number(value.size());
        return raw(value.data(), value.size());
    }
    /// Writes a number that is usually small: 7 bits per byte, with the sign in the lowest bit.
    FieldWriter& small(std::int64_t value) {
        auto left = static_cast<std::uint64_t>(value) << 1U ^
                    static_cast<std::uint64_t>(value >> 63);  // arithmetic shift
        for (; left >= 0x80; left >>= 7U) bytes_.push_back(static_cast<char>(left | 0x80U));
        bytes_.push_back(static_cast<char>(left));
        return *this;
    }
    const std::string& bytes() const noexcept { return bytes_; }
    std::string take() { return std::move(bytes_); }

protected:
    FieldWriter& raw(const void* data, std::size_t size) {
        bytes_.append(static_cast<const char*>(data), size);
        return *this;
    }

private:
    std::string bytes_;
};

class FieldReader {
public:
    /// Throws an error that says what is wrong with the bytes: "cut short". Does not return.
    using Refuse = void (*)(std::string_view what);

    FieldReader(std::string_view bytes, Refuse refuse) : rest_(bytes), refuse_(refuse) {}
    /// The result is in [0, most].
    std::uint64_t number(std::uint64_t most) {
        std::uint64_t value = 0;
        raw(&value, sizeof value);
        if (value > most) refuse_(fmt::format("{}; at most {} is allowed", value, most));
        return value;
    }
    /// The number of fields that follow. Each field takes at least one byte.
    std::size_t count() { return static_cast<std::size_t>(number(rest_.size())); }
    bool flag() { return number(1) == 1; }
    double real() {
        double value = 0;
        raw(&value, sizeof value);
        return value;
    }
    std::string text(std::size_t longest) {
        const auto size = static_cast<std::size_t>(number(longest));
        if (size > rest_.size()) refuse_("cut short");
        std::string value(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return value;
    }
    std::string text() { return text(rest_.size()); }
    std::int64_t small() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            if (rest_.empty()) refuse_("cut short");
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            if (shift == 63 && byte > 1) refuse_("a number of more than 64 bits");
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if (byte < 0x80) break;
        }
        return static_cast<std::int64_t>(value >> 1U ^ (~(value & 1U) + 1));
    }
    bool at_end() const { return rest_.empty(); }
    void finish() const {
        if (!rest_.empty()) refuse_("more data after its end");
    }

private:
    void raw(void* out, std::size_t size) {
        if (rest_.size() < size) refuse_("cut short");
        std::memcpy(out, rest_.data(), size);
        rest_.remove_prefix(size);
    }
    std::string_view rest_;
    Refuse refuse_;
};

}  // namespace assay
