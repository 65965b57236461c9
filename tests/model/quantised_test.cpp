// Graphs from ONNX Runtime's quantizer for a convolutional network and of a transformer: QDQ,
// QLinear operators, and ranges that are computed in each run (make_quantised.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.h"
#include "images.h"

namespace assay {
namespace {

/// Rounding is not continuous. A float that differs in its last bit may be rounded to the next
/// integer, which changes later values by a step. So scores differ from ONNX Runtime's by less than
/// quantization changes them, and most are bit-identical.
TEST(QuantisedModels, ScoresEqualOnnxRuntimes) {
    const auto all = nlohmann::json::parse(std::ifstream(fixture("quantised.json")));
    ASSERT_EQ(all.size(), 6U);
    for (const auto& [file, want] : all.items()) {
        SCOPED_TRACE(file);
        const auto classifier = open_classifier(fixture_spec(file), {"cpu"});
        const std::vector<float> scores = want.at("scores");
        const std::vector<float> got = run(*classifier, 3, 16);
        ASSERT_EQ(got.size(), scores.size());
        const double step = want.at("moved_by_quantising");
        double most = 0;
        for (std::size_t i = 0; i < got.size(); ++i)
            most = std::max(most, static_cast<double>(std::abs(got[i] - scores[i])));
        EXPECT_LE(most, 0.1 * step);
        const bool dynamic = file.find("dynamic") != std::string::npos;
        EXPECT_EQ(classifier->facts().fixed_batch, dynamic ? 1 : 0);
    }
}

}  // namespace
}  // namespace assay
