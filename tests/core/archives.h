// What the tests of npy, npz and zip files share.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace assay {

inline const std::filesystem::path archive_fixtures =
    std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/core/fixtures";

inline std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace assay
