// Predictions of six real classifiers for 11,000 variants of photographs, in the shared data next
// to the source tree.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "containers/npy.h"
#include "containers/zip.h"
#include "core/file.h"

namespace assay::mad {

struct RealPredictions {
    static constexpr std::size_t classifiers = 6;
    std::vector<std::vector<std::uint16_t>> labels;  ///< label by classifier and image
    std::vector<std::vector<double>> confidences;    ///< probability by classifier and image
    std::vector<std::int64_t> truths;                ///< class of each image
};

/// Returns nothing if the data are absent.
inline std::optional<RealPredictions> real_predictions() {
    const std::filesystem::path path =
        ASSAY_SOURCE_DIR "/../shared/spec/fixtures/mad-real-predictions.npz";
    if (!std::filesystem::exists(path)) return std::nullopt;
    const std::vector<std::byte> bytes = read_file(path);
    const ZipArchive archive(bytes);
    const auto array = [&](const char* name) {
        return archive.read(*archive.find(name), std::uint64_t{1} << 30);
    };
    const auto labels = array("label.npy"), confidences = array("conf.npy"),
               truths = array("truth.npy");
    const NumberSpan label = parse_npy(labels).values, confidence = parse_npy(confidences).values,
                     truth = parse_npy(truths).values;
    RealPredictions real;
    for (std::size_t x = 0; x < truth.count; ++x) real.truths.push_back(truth.integer(x));
    for (std::size_t c = 0; c < RealPredictions::classifiers; ++c) {
        auto& l = real.labels.emplace_back();
        auto& p = real.confidences.emplace_back();
        for (std::size_t x = 0; x < truth.count; ++x) {
            l.push_back(static_cast<std::uint16_t>(label.integer(c * truth.count + x)));
            p.push_back(confidence.number(c * truth.count + x));
        }
    }
    return real;
}

}  // namespace assay::mad

#define ASSAY_REAL_PREDICTIONS(name)                                                        \
    const std::optional<assay::mad::RealPredictions> name = assay::mad::real_predictions(); \
    if (!name)                                                                              \
    GTEST_SKIP() << "SKIPPED: ../shared/spec/fixtures/mad-real-predictions.npz is "         \
                    "absent"
