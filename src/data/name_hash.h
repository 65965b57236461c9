// 128-bit hashes of names, the same on every machine. They replace the names of images in
// archives, because a million names would take more memory than all other data. Random draws
// depend on the first 64 bits of an image's id hash, so a different hash would change stored
// results.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/hash.h"

namespace assay {

using NameHash = std::pair<std::uint64_t, std::uint64_t>;

inline NameHash name_hash(std::string_view name) {
    const std::string whole = hash_text(name);
    const char* const digits = whole.data() + whole.find(':') + 1;
    NameHash hash;
    std::from_chars(digits, digits + 16, hash.first, 16);
    std::from_chars(digits + 16, digits + 32, hash.second, 16);
    return hash;
}
/// The same for bytes, such as those of a file.
inline NameHash name_hash(std::span<const std::byte> bytes) {
    return name_hash(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace assay
