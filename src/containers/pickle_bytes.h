// The bytes of a pickle, from which plain_pickle.cpp reads opcodes and their arguments.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "containers/byte_source.h"
#include "core/refuse.h"

namespace assay {

/// The longest text in memory; longer texts stay in the file.
inline constexpr std::uint64_t longest_kept_text = 1U << 16;

/// Sequential reads through a buffer.
class PickleBytes {
public:
    explicit PickleBytes(const ByteSource& source) : source_(source) {}

    std::uint64_t at() const { return begin_ + used_; }
    [[noreturn]] void fail(const std::string& what) const {
        refuse(fmt::format("damaged pickle: {} (byte {} of {})", what, at(), source_.size()));
    }
    std::uint64_t number(std::size_t bytes) {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes; ++i) value |= std::uint64_t{u8()} << (8 * i);
        return value;
    }
    std::uint8_t u8() {
        if (used_ == buffer_.size()) refill();
        return std::to_integer<std::uint8_t>(buffer_[used_++]);
    }
    std::string text(std::uint64_t size) {
        check(size);
        std::string out;
        for (std::uint64_t i = 0; i < size; ++i) out += static_cast<char>(u8());
        return out;
    }
    std::string line() {
        std::string out;
        for (char c = static_cast<char>(u8()); c != '\n'; c = static_cast<char>(u8())) {
            out += c;
            if (out.size() > longest_kept_text) fail("a name without an end");
        }
        return out;
    }
    void skip(std::uint64_t size) {
        check(size);
        const std::uint64_t left = buffer_.size() - used_;
        if (size <= left) {
            used_ += static_cast<std::size_t>(size);
            return;
        }
        begin_ = at() + size;
        buffer_.clear();
        used_ = 0;
    }

private:
    void check(std::uint64_t size) const {
        if (size > source_.size() - at()) fail("it is cut off");
    }
    void refill() {
        begin_ += used_;
        used_ = 0;
        const std::uint64_t left = source_.size() - begin_;
        buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, 1U << 16)));
        if (buffer_.empty()) fail("it is cut off");
        source_.read(begin_, buffer_);
    }

    const ByteSource& source_;
    std::vector<std::byte> buffer_;
    std::uint64_t begin_ = 0;  ///< position of the buffer in the file
    std::size_t used_ = 0;
};

}  // namespace assay
