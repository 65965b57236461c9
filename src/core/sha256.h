// SHA-256 (FIPS 180-4) of files, as `sha256sum` prints it. People and hubs publish it to identify
// files. Stores use the faster hashes of core/hash.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace assay {

class Sha256 {
public:
    void add(std::span<const std::byte> bytes);
    /// The 64 hexadecimal digits of all added bytes. Do not add bytes afterwards.
    std::string digest();

private:
    void mix(const std::byte* block);

    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<std::byte, 64> block_{};  ///< bytes of a block that is not full yet
    std::uint64_t bytes_ = 0;
};

/// Returns "sha256:<64 digits>". Throws bad_input if the file is missing or cannot be read, and
/// interrupted. Cost: one read of the file, about 4 s per GB.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace assay
