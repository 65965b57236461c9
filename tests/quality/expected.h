// Reference numbers that another program computed from the published table, in the shared data next
// to the source tree.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace assay::quality {

/// Returns an empty value and skips the test if the data are absent.
inline nlohmann::json expected_quality() {
    const std::filesystem::path path =
        ASSAY_SOURCE_DIR "/../shared/spec/fixtures/quality-expected.json";
    std::ifstream file(path);
    return file ? nlohmann::json::parse(file) : nlohmann::json();
}

}  // namespace assay::quality

#define ASSAY_EXPECTED_QUALITY(name)                                \
    const nlohmann::json name = assay::quality::expected_quality(); \
    if (name.is_null())                                             \
    GTEST_SKIP() << "SKIPPED: ../shared/spec/fixtures/quality-expected.json is absent"
