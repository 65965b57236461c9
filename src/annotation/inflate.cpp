#include "inflate.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "assay/error.h"

namespace assay {
namespace {

constexpr std::size_t window = 32768;
constexpr std::size_t piece_bytes = 256U << 10;
constexpr std::size_t slack = 258 + 64;  // the longest match, and what wide stores write beyond it
constexpr unsigned most_length = 15;     // of a code

struct Extra {
    std::uint16_t base;
    std::uint8_t bits;
};
// RFC 1951, 3.2.5.
constexpr std::array<Extra, 29> lengths{
    {{3, 0},  {4, 0},  {5, 0},  {6, 0},   {7, 0},   {8, 0},   {9, 0},   {10, 0},  {11, 1}, {13, 1},
     {15, 1}, {17, 1}, {19, 2}, {23, 2},  {27, 2},  {31, 2},  {35, 3},  {43, 3},  {51, 3}, {59, 3},
     {67, 4}, {83, 4}, {99, 4}, {115, 4}, {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}}};
constexpr std::array<Extra, 30> distances{
    {{1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},
     {9, 2},     {13, 2},    {17, 3},    {25, 3},     {33, 4},     {49, 4},
     {65, 5},    {97, 5},    {129, 6},   {193, 6},    {257, 7},    {385, 7},
     {513, 8},   {769, 8},   {1025, 9},  {1537, 9},   {2049, 10},  {3073, 10},
     {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}}};
constexpr std::array<std::uint8_t, 19> order_of_lengths{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                        11, 4,  12, 3, 13, 2, 14, 1, 15};

/// Symbol and length by the next 15 bits of the stream. One flat table: deflated arrays change
/// codes rarely, so that filling 32,768 entries costs less than second-level look-ups.
class Code {
public:
    Code() : entries_(std::size_t{1} << most_length) {}

    /// False: more codes than fit, or too few (a single code of one bit, or none at all, is allowed
    /// unless `complete`).
    bool make(std::span<const std::uint8_t> code_lengths, bool complete) {
        std::array<std::uint32_t, most_length + 2> count{}, next{};
        for (const std::uint8_t n : code_lengths) ++count[n];
        std::uint32_t code = 0, used = 0;
        unsigned longest = 0;
        count[0] = 0;
        for (unsigned bits = 1; bits <= most_length; ++bits) {
            code = (code + count[bits - 1]) << 1;
            next[bits] = code;
            used += count[bits] << (most_length - bits);
            if (used > (1U << most_length)) return false;
            if (count[bits] > 0) longest = bits;
        }
        if (used < (1U << most_length) && (complete || longest > 1)) return false;
        std::fill(entries_.begin(), entries_.end(), 0U);
        for (std::uint32_t symbol = 0; symbol < code_lengths.size(); ++symbol) {
            const unsigned bits = code_lengths[symbol];
            if (bits == 0) continue;
            // Codes come with their first bit lowest: the index is the code turned round.
            std::uint32_t index = 0;
            const std::uint32_t value = next[bits]++;
            for (unsigned b = 0; b < bits; ++b) index |= (value >> b & 1U) << (bits - 1 - b);
            for (; index < entries_.size(); index += 1U << bits)
                entries_[index] = symbol << 4 | bits;
        }
        return true;
    }
    /// symbol * 16 + length; 0: no code.
    std::uint32_t at(std::uint64_t bits) const {
        return entries_[bits & ((1U << most_length) - 1)];
    }

private:
    std::vector<std::uint32_t> entries_;
};

class Inflater {
public:
    Inflater(std::span<const std::byte> packed, std::uint64_t most,
             const std::function<void(std::span<const std::byte>)>& piece)
        : in_(packed.data()),
          end_(in_ + packed.size()),
          begin_(in_),
          most_(most),
          piece_(piece),
          out_(std::make_unique_for_overwrite<std::byte[]>(window + piece_bytes + slack)) {}

    std::optional<std::size_t> run() {
        for (bool last = false; !last;) {
            refill();
            if (count_ < 3) return std::nullopt;
            last = take(1) != 0;
            const std::uint64_t kind = take(2);
            if (kind == 3 || !(kind == 0 ? stored() : coded(kind == 2))) return std::nullopt;
        }
        if (!flush()) return std::nullopt;
        return static_cast<std::size_t>(in_ - begin_) - count_ / 8;
    }

private:
    /// At least 56 bits, unless the input ends.
    void refill() {
        if (end_ - in_ >= 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, in_, 8);
            bits_ |= word << count_;
            in_ += (63 - count_) / 8;
            count_ |= 56;
            return;
        }
        while (count_ <= 56 && in_ != end_) {
            bits_ |= static_cast<std::uint64_t>(*in_++) << count_;
            count_ += 8;
        }
    }
    std::uint64_t take(unsigned n) {
        const std::uint64_t value = bits_ & ((std::uint64_t{1} << n) - 1);
        bits_ >>= n;
        count_ -= n;
        return value;
    }
    /// The next symbol, or -1: no code, or cut off. Needs 15 bits to be there, unless the input
    /// ends.
    int symbol(const Code& code) {
        const std::uint32_t entry = code.at(bits_);
        const unsigned length = entry & 15U;
        if (length == 0 || length > count_) return -1;
        bits_ >>= length;
        count_ -= length;
        return static_cast<int>(entry >> 4);
    }

    /// Gives what is new, and keeps the last 32 KiB for matches. False: more than `most_`.
    bool flush() {
        const std::size_t fresh = at_ - start_;
        if (fresh > most_ - given_) return false;
        given_ += fresh;
        if (fresh > 0) piece_({out_.get() + start_, fresh});
        const std::size_t keep = std::min(window, at_);
        std::memmove(out_.get(), out_.get() + at_ - keep, keep);
        at_ = start_ = keep;
        return true;
    }

    bool stored() {
        take(count_ % 8);
        refill();
        if (count_ < 32) return false;
        std::uint64_t length = take(16);
        if ((length ^ 0xFFFFU) != take(16)) return false;
        while (length > 0) {
            if (at_ >= window + piece_bytes && !flush()) return false;
            if (count_ > 0) {  // bytes that were read ahead
                out_[at_++] = static_cast<std::byte>(take(8));
                --length;
                continue;
            }
            bits_ = 0;
            const std::size_t n = std::min<std::size_t>(
                {length, window + piece_bytes - at_, static_cast<std::size_t>(end_ - in_)});
            if (n == 0) return false;
            std::memcpy(out_.get() + at_, in_, n);
            in_ += n;
            at_ += n;
            length -= n;
        }
        return true;
    }

    bool read_codes(Code& literal, Code& distance) {
        refill();
        if (count_ < 14) return false;
        const auto literals = static_cast<std::size_t>(257 + take(5)),
                   distances_n = static_cast<std::size_t>(1 + take(5));
        const auto n = static_cast<std::size_t>(4 + take(4));
        if (literals > 286 || distances_n > 30) return false;
        std::array<std::uint8_t, 19> first{};
        for (std::size_t i = 0; i < n; ++i) {
            refill();
            if (count_ < 3) return false;
            first[order_of_lengths[i]] = static_cast<std::uint8_t>(take(3));
        }
        if (!literal.make(first, true)) return false;
        std::array<std::uint8_t, 286 + 30> all{};
        for (std::size_t i = 0; i < literals + distances_n;) {
            refill();
            const int s = symbol(literal);
            if (s < 0) return false;
            if (s < 16) {
                all[i++] = static_cast<std::uint8_t>(s);
                continue;
            }
            const unsigned bits = s == 16 ? 2 : s == 17 ? 3 : 7;
            if (count_ < bits || (s == 16 && i == 0)) return false;
            const std::size_t repeat = take(bits) + (s == 18 ? 11U : 3U);
            if (repeat > literals + distances_n - i) return false;
            const std::uint8_t value = s == 16 ? all[i - 1] : std::uint8_t{0};
            std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(i), repeat, value);
            i += repeat;
        }
        if (all[256] == 0) return false;  // a block without an end
        return literal.make(std::span(all).first(literals), false) &&
               distance.make(std::span(all).subspan(literals, distances_n), false);
    }

    void fixed_codes(Code& literal, Code& distance) {
        std::array<std::uint8_t, 288> all{};
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] = static_cast<std::uint8_t>(i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8);
        }
        literal.make(all, true);
        distance.make(std::vector<std::uint8_t>(32, 5), true);
    }

    bool coded(bool dynamic) {
        if (dynamic) {
            if (!read_codes(literal_, distance_)) return false;
        } else {
            fixed_codes(literal_, distance_);
        }
        for (;;) {
            if (at_ >= window + piece_bytes && !flush()) return false;
            refill();
            const int s = symbol(literal_);
            if (s < 0) return false;
            if (s < 256) {
                out_[at_++] = static_cast<std::byte>(s);
                continue;
            }
            if (s == 256) return true;
            if (s > 285) return false;
            const Extra& l = lengths[static_cast<std::size_t>(s - 257)];
            if (count_ < l.bits) return false;
            const std::size_t length = l.base + take(l.bits);
            const int d = symbol(distance_);
            if (d < 0 || d > 29) return false;
            const Extra& e = distances[static_cast<std::size_t>(d)];
            if (count_ < e.bits) return false;
            const std::size_t back = e.base + take(e.bits);
            if (back > at_) return false;  // at_ counts all output until 32 KiB of it are there
            copy(length, back);
        }
    }

    void copy(std::size_t length, std::size_t back) {
        std::byte* to = out_.get() + at_;
        at_ += length;
        if (back == 1) {
            std::memset(to, static_cast<int>(to[-1]), length);
            return;
        }
        std::byte* const stop = to + length;
        std::size_t step = back;
        if (back < 16) {
            // Long enough a multiple of the period, so that 16 bytes at a time never read what they
            // write.
            step = (15 + back) / back * back;
            for (std::size_t i = 0; i < std::min(step, length); ++i)
                to[i] = to[static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(back)];
            to += step;
        }
        for (; to < stop; to += 16) std::memcpy(to, to - step, 16);
    }

    const std::byte* in_;
    const std::byte* end_;
    const std::byte* begin_;
    std::uint64_t bits_ = 0;
    unsigned count_ = 0;  ///< bits in bits_
    std::uint64_t most_, given_ = 0;
    const std::function<void(std::span<const std::byte>)>& piece_;
    std::unique_ptr<std::byte[]> out_;
    std::size_t at_ = 0, start_ = 0;  ///< of out_: the end, and the first byte not yet given
    Code literal_, distance_;
};

std::uint32_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t b = 0; b < size; ++b)
        value |= static_cast<std::uint32_t>(bytes[at + b]) << (8 * b);
    return value;
}

struct Packed {
    std::span<const std::byte> bytes;
    std::uint32_t crc = 0;
};

/// Where the entry's packed bytes are, when its records are plain and agree.
std::optional<Packed> find_packed(std::span<const std::byte> archive, const ZipEntry& entry) {
    const std::uint64_t record = entry.directory_position;
    constexpr std::size_t record_size = 46, local_size = 30;
    if (entry.stored || record > archive.size() ||
        archive.size() - record < record_size + entry.name.size())
        return std::nullopt;
    const auto directory = archive.subspan(record);
    const auto named = [&](std::span<const std::byte> from) {
        return std::memcmp(from.data(), entry.name.data(), entry.name.size()) == 0;
    };
    if (number(directory, 0, 4) != 0x02014b50 || number(directory, 10, 2) != Z_DEFLATED ||
        number(directory, 28, 2) != entry.name.size() || !named(directory.subspan(record_size)))
        return std::nullopt;
    const std::uint64_t local = number(directory, 42, 4);
    if (local >= archive.size() || archive.size() - local < local_size + entry.name.size())
        return std::nullopt;
    const auto header = archive.subspan(local);
    if (number(header, 0, 4) != 0x04034b50 || number(header, 26, 2) != entry.name.size() ||
        !named(header.subspan(local_size)))
        return std::nullopt;
    const std::size_t begin = local_size + entry.name.size() + number(header, 28, 2);
    if (begin > header.size() || header.size() - begin < entry.packed_size) return std::nullopt;
    return Packed{header.subspan(begin, entry.packed_size), number(directory, 16, 4)};
}

}  // namespace

std::optional<std::size_t> inflate_pieces(
    std::span<const std::byte> packed, std::uint64_t most,
    const std::function<void(std::span<const std::byte>)>& piece) {
    return Inflater(packed, most, piece).run();
}

void unpack_entry(const ZipArchive& archive, std::span<const std::byte> archive_bytes,
                  const ZipEntry& entry,
                  const std::function<void(std::span<const std::byte>)>& piece) {
    const auto packed = find_packed(archive_bytes, entry);
    if (!packed) return archive.unpack(entry, piece);
    std::uint64_t done = 0;
    uLong crc = 0;
    const auto end =
        inflate_pieces(packed->bytes, entry.size, [&](std::span<const std::byte> bytes) {
            done += bytes.size();
            crc = crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
            piece(bytes);
        });
    if (!end) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("zip entry `{}` is damaged after {} of {} bytes", entry.name, done,
                                entry.size));
    }
    if (done != entry.size) {
        throw Error(ErrorCode::bad_input, fmt::format("zip entry `{}` unpacks to {} bytes, not {}",
                                                      entry.name, done, entry.size));
    }
    if (crc != packed->crc)
        throw Error(ErrorCode::bad_input,
                    fmt::format("zip entry `{}` is damaged: wrong CRC", entry.name));
}

}  // namespace assay
