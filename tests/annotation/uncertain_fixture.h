// Votes, ranks and expected values from another program, in the shared data next to the source
// tree.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "annotation/true_sets/set_values.h"

namespace assay::true_sets {

/// Null if the file does not exist.
inline nlohmann::json uncertain_fixture() {
    const std::filesystem::path path =
        ASSAY_SOURCE_DIR "/../shared/spec/fixtures/uncertain-labels.json";
    std::ifstream file(path);
    return file ? nlohmann::json::parse(file).at("A") : nlohmann::json();
}

/// Arrays of the fixture are (class, vote, image).
inline AskedImages images_of(const nlohmann::json& a) {
    AskedImages out;
    out.annotators = 4;
    out.models = 2;
    const auto& ranks = a.at("ranks");
    const std::size_t k = ranks.at(0).size(), n = ranks.at(0).at(0).size();
    std::vector<std::vector<std::int64_t>> places;
    std::vector<int> known = a.at("expected").at("image_cells");
    for (std::size_t i = 0; i < n; ++i) {
        int overlap = 0;
        for (std::size_t c = 0; c < k; ++c) {
            for (std::size_t v = 0; v < a.at("answers").at(c).size(); ++v)
                out.codes.push_back(2 * a.at("annotators").at(c).at(v).at(i).get<std::uint32_t>() +
                                    a.at("answers").at(c).at(v).at(i).get<std::uint32_t>());
            out.votes_begin.push_back(out.codes.size());
            int worst = 0;
            for (std::size_t m = 0; m < 2; ++m) {
                const int rank = ranks.at(m).at(c).at(i);
                out.rank.push_back(static_cast<std::uint16_t>(rank));
                worst = std::max(worst, rank);
            }
            for (int depth = 1, digit = 1; depth <= 3; ++depth, digit *= 10)
                overlap += worst < depth ? digit : 0;
        }
        out.begin.push_back(static_cast<std::uint32_t>((i + 1) * k));
        const auto at = std::find(known.begin(), known.end(), overlap);
        out.cell.push_back(static_cast<std::uint32_t>(at - known.begin()));
    }
    return out;
}

}  // namespace assay::true_sets

#define ASSAY_UNCERTAIN_FIXTURE(name)                                  \
    const nlohmann::json name = assay::true_sets::uncertain_fixture(); \
    if (name.is_null())                                                \
    GTEST_SKIP() << "SKIPPED: ../shared/spec/fixtures/uncertain-labels.json is absent"
