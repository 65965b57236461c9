// The real models in the shared data: logits equal PyTorch's (make_shared.py), also from four
// threads at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "assay/error.h"
#include "assay/model/model_spec.h"
#include "images.h"
#include "scratch.h"

namespace assay {
namespace {

/// Logits change by up to 4e-5 with the batch size and the build of LibTorch.
constexpr float kTolerance = 1e-3F;

void expect_logits(Classifier& classifier, const nlohmann::json& want) {
    const std::size_t side = want.at("side");
    const std::vector<float> got = run(classifier, 2, side);
    ASSERT_EQ(got.size(), 2000U);
    for (std::size_t row = 0; row < 2; ++row) {
        const auto begin = got.begin() + static_cast<std::ptrdiff_t>(row) * 1000;
        EXPECT_EQ(std::max_element(begin, begin + 1000) - begin, want["top1"][row].get<int>());
        for (std::size_t c = 0; c < 6; ++c)
            EXPECT_NEAR(begin[static_cast<std::ptrdiff_t>(c)], want["first"][row][c].get<float>(),
                        kTolerance);
        double sum = 0;
        for (auto score = begin; score != begin + 1000; ++score) sum += *score;
        EXPECT_NEAR(sum, want["sum"][row].get<double>(), 0.1);
    }
}

TEST(SharedModels, LogitsEqualPythons) {
    if (shared_data().empty()) GTEST_SKIP() << "the shared data is not beside the checkout";
    const auto expected_logits = nlohmann::json::parse(std::ifstream(fixture("shared.json")));
    const auto sidecars = std::filesystem::path(ASSAY_SOURCE_DIR) / "examples/models";
    for (const auto& [name, want] : expected_logits.items()) {
        SCOPED_TRACE(name);
        const ModelSpec spec = resolve_model(shared_data() / "models" / name, {}, sidecars);
        const auto classifier = open_classifier(spec, {"cpu"});
        expect_logits(*classifier, want);
        EXPECT_EQ(classifier->facts().fixed_batch, 0);
    }
}

TEST(SharedModels, ParametersAreCounted) {
    if (shared_data().empty()) GTEST_SKIP() << "the shared data is not beside the checkout";
    // The weights are buffers: codes with two scale numbers each. 467,649 is the sum over Python's
    // buffers().
    const ModelSpec spec = resolve_model(shared_data() / "models/mobilenet_v1_0.25_128.pt",
                                         {{"preset", "mobilenet-128"}});
    EXPECT_EQ(open_classifier(spec, {"cpu"})->facts().parameters, 467649);
}

TEST(SharedModels, FourThreadsGiveTheBitsOfOne) {
    if (shared_data().empty()) GTEST_SKIP() << "the shared data is not beside the checkout";
    const ModelSpec spec = resolve_model(shared_data() / "models/mobilenet_v1_0.25_128.pt",
                                         {{"preset", "mobilenet-128"}});
    const auto classifier = open_classifier(spec, {"cpu"});
    const std::vector<float> want = run(*classifier, 4, 128);
    std::array<std::vector<float>, 4> got;
    {
        std::vector<std::jthread> threads;
        for (auto& mine : got) threads.emplace_back([&] { mine = run(*classifier, 4, 128); });
    }
    for (const auto& mine : got) EXPECT_EQ(mine, want);
}

}  // namespace
}  // namespace assay
