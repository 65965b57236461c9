// Counter-based random numbers: a draw depends only on (seed, purpose, item, index), never on order
// or threads.
//
// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay {

/// Computes one Philox4x32-10 block.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// A stream of draws for one (seed, purpose, item). It is cheap to make, and a copy repeats it.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t item = 0);

    std::uint32_t next_u32();
    std::uint64_t next_u64();
    /// Uniform in [0, 1) with 53 random bits.
    double uniform();
    /// Uniform in [0, bound) without bias (Lemire 2019). bound > 0.
    std::uint64_t below(std::uint64_t bound);
    /// Standard normal, by the inverse of the distribution function, with one draw per value.
    double normal();
    /// The same numbers as repeated calls of next_u32(), in a third of the time.
    void fill(std::span<std::uint32_t> out);
    /// Many standard normals, with one 32-bit draw each. Uses the inverse of the distribution
    /// function. Up to |z| = 2.4, a table is interpolated (error below 1e-5). Beyond that, the
    /// inverse is computed exactly. All |z| are below 6.4.
    void fill_normal(std::span<float> out);

private:
    std::array<std::uint32_t, 4> counter_{};
    std::array<std::uint32_t, 2> key_{};
    std::array<std::uint32_t, 4> block_{};
    int used_ = 4;
};

}  // namespace assay
