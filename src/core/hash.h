// Fingerprints of files and tables: XXH3, 128 bits, written as "xxh128:<32 hex digits>" (what
// `xxh128sum` prints). They detect damage and changes, but give no protection against a forger.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace assay {

class Hasher {
public:
    Hasher();
    ~Hasher();
    Hasher(Hasher&&) noexcept;
    Hasher& operator=(Hasher&&) noexcept;

    void add(std::span<const std::byte> bytes);
    void add(std::string_view text);
    /// Adds the length and then the bytes, so that ("ab","c") and ("a","bc") differ.
    void add_field(std::string_view text);
    std::string digest() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

std::string hash_bytes(std::span<const std::byte> bytes);
std::string hash_text(std::string_view text);
/// Hashes a file. Throws bad_input if it is missing or cannot be read. Cost: one read of the file.
std::string hash_file(const std::filesystem::path& path);

}  // namespace assay
