// Compares every supported operator with ONNX Runtime's results (make_onnx_ops.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "assay/error.h"
#include "core/file.h"
#include "operator_cases.h"

namespace assay {
namespace {

std::vector<float> floats(const std::string& bytes) {
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
    return out;
}

TEST(OnnxOperators, EqualOnnxRuntimes) {
    const auto cases = operator_cases("onnx_ops.json");
    ASSERT_GT(cases.size(), 300U);
    const Scratch scratch;
    for (const auto& one : cases) {
        const std::string name = one["name"];
        SCOPED_TRACE(name);
        const ModelSpec spec = operator_spec(scratch, one);
        std::vector<float> want = floats(from_base64(one["scores"]));
        const bool one_score = want.size() == 1;
        if (one_score) want.insert(want.begin(), 0.0F);  // two classes, from the sigmoid
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
            } else if (one_score) {
                EXPECT_THAT(notes, testing::Contains(testing::HasSubstr("one score per image")));
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
    for (const auto& one : operator_cases("onnx_refused.json")) {
        SCOPED_TRACE(one["name"].get<std::string>());
        const ModelSpec spec = operator_spec(scratch, one);
        const Error error = error_of([&] { open_classifier(spec, {"cpu"}); });
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_THAT(error.message(), testing::HasSubstr(one["says"].get<std::string>()));
        // A valid file that Assay's own runtime lacks something for.
        if (error.message().find("not supported") != std::string::npos ||
            error.message().find("does not have: Scan") != std::string::npos) {
            EXPECT_THAT(error.message(), testing::HasSubstr("add --runtime onnxruntime"));
        }
    }
}

/// A changed byte may be undetected. At most it leads to an Error.
TEST(OnnxOperators, DamagedFilesAreRefusedOrRun) {
    const Scratch scratch;
    std::size_t number = 0;
    for (const char* file : {"onnx_ops.json", "onnx_refused.json"}) {
        for (const auto& one : operator_cases(file)) {
            ModelSpec spec = operator_spec(scratch, one);
            const std::string whole = from_base64(one["model"]);
            // Models with exploding functions are intended to be slow.
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
