// Reference numbers from another program, in the shared data next to the source tree.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace assay::mad {

/// Returns an empty value and skips the test if the data are absent.
inline nlohmann::json expected_mad() {
    const std::filesystem::path path = ASSAY_SOURCE_DIR "/../shared/spec/fixtures/mad-fixture.json";
    std::ifstream file(path);
    return file ? nlohmann::json::parse(file) : nlohmann::json();
}

/// Reads "7/12" or "0.58".
inline double number_of(const std::string& text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) return std::stod(text);
    return std::stod(text.substr(0, slash)) / std::stod(text.substr(slash + 1));
}

}  // namespace assay::mad

#define ASSAY_EXPECTED_MAD(name)                            \
    const nlohmann::json name = assay::mad::expected_mad(); \
    if (name.is_null())                                     \
    GTEST_SKIP() << "SKIPPED: ../shared/spec/fixtures/mad-fixture.json is absent"
