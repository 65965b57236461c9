// Every operator that we can run, against ONNX Runtime's results (make_onnx_ops.py).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "assay/error.h"
#include "core/file.h"
#include "images.h"
#include "scratch.h"

namespace assay {
namespace {

std::string from_base64(const std::string& text) {
    std::string out;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text) {
        const auto at =
            std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
                .find(c);
        if (at == std::string_view::npos) break;
        bits = bits << 6 | static_cast<unsigned>(at);
        if ((count += 6) >= 8) out.push_back(static_cast<char>(bits >> (count -= 8) & 0xff));
    }
    return out;
}

std::vector<float> floats(const std::string& bytes) {
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
    return out;
}

TEST(OnnxOperators, EqualOnnxRuntimes) {
    const auto cases = nlohmann::json::parse(std::ifstream(fixture("onnx_ops.json")));
    ASSERT_GT(cases.size(), 150U);
    const Scratch scratch;
    for (const auto& one : cases) {
        const std::string name = one["name"];
        SCOPED_TRACE(name);
        ModelSpec spec = fixture_spec("op.onnx");
        spec.path = scratch / "op.onnx";
        spec.preprocess.height = spec.preprocess.width = 5;
        write(spec.path, from_base64(one["model"]));
        const std::vector<float> want = floats(from_base64(one["scores"]));
        try {
            const auto classifier = open_classifier(spec);
            const std::vector<float> got = run(*classifier, 1, 5);
            ASSERT_EQ(got.size(), want.size());
            for (std::size_t i = 0; i < got.size(); ++i) {
                const float near = 2e-5F * std::max(1.0F, std::abs(want[i]));
                const bool same = std::isnan(want[i])
                                      ? std::isnan(got[i])
                                      : want[i] == got[i] || std::abs(want[i] - got[i]) <= near;
                EXPECT_TRUE(same) << "at " << i << ": " << got[i] << ", expected " << want[i];
                if (!same) break;
            }
        } catch (const Error& error) {
            ADD_FAILURE() << error.what();
        }
    }
}

}  // namespace
}  // namespace assay
