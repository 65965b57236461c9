// Graphs as ONNX Runtime's quantiser writes them, of a convolutional network and of a transformer:
// QDQ, its QLinear operators, and ranges found at each run (make_quantised.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assay/error.h"
#include "images.h"

namespace assay {
namespace {

/// Rounding is no continuous function: a float that differs in its last bit may be rounded to the
/// next whole number, and moves what follows by a step of its scale. So scores agree with ONNX
/// Runtime's to a fraction of what quantising itself moves them by, and mostly to the bit.
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
