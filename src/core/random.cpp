#include "core/random.h"

#include <algorithm>
#include <bit>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

namespace assay {
namespace {

/// FNV-1a maps the name of a purpose to 64 bits. They are the same on every platform.
std::uint64_t hash_purpose(std::string_view purpose) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : purpose) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3ULL;
    }
    return hash;
}

/// SplitMix64's finaliser: spreads every input bit over all output bits.
std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

std::uint32_t low(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
}
std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32);
}

/// Quantiles of |z| for a standard normal z, for fill_normal().
class HalfNormal {
public:
    HalfNormal() {
        for (std::size_t i = 0; i < quantile_.size(); ++i)
            quantile_[i] = static_cast<float>(exact(static_cast<double>(i) / cells));
    }
    /// The highest bit is the sign. The other bits are a position in (0, 1).
    float signed_quantile(std::uint32_t bits) const {
        const std::uint32_t place = bits & 0x7fffffffU;
        const std::uint32_t cell = place >> 19U;
        float z = 0;
        if (cell < exact_from) {
            const float within = static_cast<float>(place & 0x7ffffU) * 0x1.0p-19F;
            z = quantile_[cell] + (quantile_[cell + 1] - quantile_[cell]) * within;
        } else {
            z = static_cast<float>(exact((place + 0.5) * 0x1.0p-31));
        }
        // The sign is random, so a branch would be mispredicted half of the time.
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(z) | (bits & 0x80000000U));
    }

private:
    static constexpr std::uint32_t cells = 4096, exact_from = 4032;
    static double exact(double p) { return std::sqrt(2.0) * boost::math::erf_inv(p); }
    std::array<float, exact_from + 1> quantile_;
};

const HalfNormal& half_normal() {
    static const HalfNormal table;
    return table;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c,
                                        std::array<std::uint32_t, 2> k) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
        c = {high(p1) ^ c[1] ^ k[0], low(p1), high(p0) ^ c[3] ^ k[1], low(p0)};
        k[0] += 0x9E3779B9;
        k[1] += 0xBB67AE85;
    }
    return c;
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t item) {
    const std::uint64_t key = mix(seed ^ mix(hash_purpose(purpose)));
    key_ = {low(key), high(key)};
    counter_ = {0, 0, low(item), high(item)};
}

std::uint32_t RandomStream::next_u32() {
    if (used_ == 4) {
        block_ = philox4x32(counter_, key_);
        if (++counter_[0] == 0) ++counter_[1];
        used_ = 0;
    }
    return block_[static_cast<std::size_t>(used_++)];
}

std::uint64_t RandomStream::next_u64() {
    const std::uint64_t first = next_u32();
    return first | (std::uint64_t{next_u32()} << 32);
}

double RandomStream::uniform() {
    return static_cast<double>(next_u64() >> 11) * 0x1.0p-53;
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
    // Multiplies with 32-bit digits, so that no 128-bit integer extension is needed.
    const auto multiply = [](std::uint64_t a, std::uint64_t b, std::uint64_t& low_part) {
        const std::uint64_t ll = std::uint64_t{low(a)} * low(b);
        const std::uint64_t lh = std::uint64_t{low(a)} * high(b);
        const std::uint64_t hl = std::uint64_t{high(a)} * low(b);
        const std::uint64_t hh = std::uint64_t{high(a)} * high(b);
        const std::uint64_t middle = high(ll) + std::uint64_t{low(lh)} + low(hl);
        low_part = (middle << 32) | low(ll);
        return hh + high(lh) + high(hl) + high(middle);
    };
    std::uint64_t rest = 0;
    std::uint64_t result = multiply(next_u64(), bound, rest);
    if (rest < bound) {
        const std::uint64_t threshold = (0 - bound) % bound;
        while (rest < threshold) result = multiply(next_u64(), bound, rest);
    }
    return result;
}

void RandomStream::fill(std::span<std::uint32_t> out) {
    std::size_t i = 0;
    while (i < out.size() && used_ < 4) out[i++] = next_u32();
    for (; i + 4 <= out.size(); i += 4) {
        const auto block = philox4x32(counter_, key_);
        if (++counter_[0] == 0) ++counter_[1];
        for (std::size_t k = 0; k < 4; ++k) out[i + k] = block[k];
    }
    while (i < out.size()) out[i++] = next_u32();
}

void RandomStream::fill_normal(std::span<float> out) {
    const HalfNormal& half = half_normal();
    std::array<std::uint32_t, 256> bits;
    for (std::size_t done = 0; done < out.size();) {
        const std::size_t n = std::min(bits.size(), out.size() - done);
        fill(std::span(bits).first(n));
        for (std::size_t i = 0; i < n; ++i) out[done + i] = half.signed_quantile(bits[i]);
        done += n;
    }
}

double RandomStream::normal() {
    // The middle of one of 2^53 cells: never 0 or 1, so the result is finite.
    const double u = (static_cast<double>(next_u64() >> 11) + 0.5) * 0x1.0p-53;
    return -std::sqrt(2.0) * boost::math::erfc_inv(2.0 * u);
}

}  // namespace assay
