#include "core/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/file.h"
#include "core/parallel.h"

namespace assay {
namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kSha256Rounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

void Sha256::mix(const std::byte* block) {
    std::array<std::uint32_t, 64> words{};
    for (std::size_t i = 0; i < 16; ++i) {
        for (std::size_t b = 0; b < 4; ++b)
            words[i] = words[i] << 8U | std::to_integer<std::uint32_t>(block[4 * i + b]);
    }
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3U) + words[i - 7] +
                   (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10U);
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                  ((e & f) ^ (~e & g)) + kSha256Rounds[i] + words[i];
        const std::uint32_t two =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const std::array<std::uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state_[i] += mixed[i];
}

void Sha256::add(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const std::size_t held = bytes_ % block_.size();
        const std::size_t taken = std::min(block_.size() - held, bytes.size());
        bytes_ += taken;
        if (taken == block_.size()) {
            mix(bytes.data());
        } else {
            std::ranges::copy(bytes.first(taken), block_.data() + held);
            if (held + taken == block_.size()) mix(block_.data());
        }
        bytes = bytes.subspan(taken);
    }
}

std::string Sha256::digest() {
    const std::uint64_t bits = 8 * bytes_;
    const std::array<std::byte, 64> padding = {std::byte{0x80}};
    add(std::span(padding).first(1 + (119 - bytes_ % 64) % 64));
    std::array<std::byte, 8> length{};
    for (std::size_t i = 0; i < 8; ++i)
        length[i] = static_cast<std::byte>(bits >> (56 - 8 * i) & 0xffU);
    add(length);
    std::string out;
    for (const std::uint32_t word : state_) out += fmt::format("{:08x}", word);
    return out;
}

std::string sha256_of_file(const std::filesystem::path& path) {
    const MappedFile file(path);
    Sha256 hash;
    constexpr std::size_t piece = std::size_t{1} << 20;
    for (std::span<const std::byte> left = file.bytes(); !left.empty();) {
        throw_if_stopped();  // a file may have many gigabytes, or be on a slow disk
        const std::size_t taken = std::min(piece, left.size());
        hash.add(left.first(taken));
        left = left.subspan(taken);
    }
    return "sha256:" + hash.digest();
}

}  // namespace assay
