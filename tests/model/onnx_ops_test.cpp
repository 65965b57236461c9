// Every operator that we can run, against ONNX Runtime's results (make_onnx_ops.py).
#include <gmock/gmock.h>
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

nlohmann::json cases_of(const char* name) {
    return nlohmann::json::parse(std::ifstream(fixture(name)));
}

ModelSpec spec_for(const Scratch& scratch, const nlohmann::json& one) {
    ModelSpec spec = fixture_spec("op.onnx");
    spec.path = scratch / "op.onnx";
    spec.preprocess.height = spec.preprocess.width = 5;
    write(spec.path, from_base64(one["model"]));
    return spec;
}

TEST(OnnxOperators, EqualOnnxRuntimes) {
    const auto cases = cases_of("onnx_ops.json");
    ASSERT_GT(cases.size(), 300U);
    const Scratch scratch;
    for (const auto& one : cases) {
        const std::string name = one["name"];
        SCOPED_TRACE(name);
        const ModelSpec spec = spec_for(scratch, one);
        const std::vector<float> want = floats(from_base64(one["scores"]));
        try {
            const auto classifier = open_classifier(spec, {"cpu"});
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
            const auto& notes = classifier->facts().notes;
            if (one.contains("note")) {
                EXPECT_THAT(notes,
                            testing::Contains(testing::HasSubstr(one["note"].get<std::string>())));
            } else if (name.find("Dynamic") == std::string::npos) {
                EXPECT_THAT(notes, testing::IsEmpty());
            }
            EXPECT_EQ(classifier->facts().fixed_batch, 1);
        } catch (const Error& error) {
            ADD_FAILURE() << error.what();
        }
    }
}

TEST(OnnxOperators, WhatCannotBeRunIsRefusedWithItsReason) {
    const Scratch scratch;
    for (const auto& one : cases_of("onnx_refused.json")) {
        SCOPED_TRACE(one["name"].get<std::string>());
        const ModelSpec spec = spec_for(scratch, one);
        const Error error = error_of([&] { open_classifier(spec, {"cpu"}); });
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_THAT(error.message(), testing::HasSubstr(one["says"].get<std::string>()));
    }
}

/// A changed byte may pass unnoticed; it never leads to more than an Error.
TEST(OnnxOperators, DamagedFilesAreRefusedOrRun) {
    const Scratch scratch;
    std::size_t number = 0;
    for (const char* file : {"onnx_ops.json", "onnx_refused.json"}) {
        for (const auto& one : cases_of(file)) {
            ModelSpec spec = spec_for(scratch, one);
            const std::string whole = from_base64(one["model"]);
            // Functions that explode are slow by intention.
            if (whole.size() > 5000 || one["name"] == "Functions_that_explode") continue;
            for (int k = 0; k < 6; ++k) {
                const std::size_t at = (++number * 7919) % whole.size();
                std::string damaged = whole;
                damaged[at] = static_cast<char>(damaged[at] ^ (1 << (number % 8)));
                write(spec.path, damaged);
                try {
                    run(*open_classifier(spec, {"cpu"}), 1, 5);
                } catch (const Error& error) {
                    EXPECT_NE(error.code(), ErrorCode::internal)
                        << one["name"] << " at " << at << ": " << error.what();
                }
            }
        }
    }
    EXPECT_GT(number, 2000U);
}

}  // namespace
}  // namespace assay
