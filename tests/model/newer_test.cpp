// TorchScript files of PyTorch 2 with operators that PyTorch 1.13 does not have. The expected
// scores are from the PyTorch that wrote them (make_newer.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/file.h"
#include "images.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(NewerTorchScript, ScoresEqualPyTorch2s) {
    const auto all = nlohmann::json::parse(std::ifstream(fixture("newer.json")));
    for (const char* name : {"newer_attention.pt", "newer_attention_trace.pt", "newer_others.pt",
                             "newer_others_trace.pt", "newer_defaults.pt", "newer_resize.pt",
                             "newer_resize_trace.pt"}) {
        SCOPED_TRACE(name);
        const auto classifier = open_classifier(fixture_spec(name), {"cpu"});
        const auto& rows = all.at(name);
        const std::vector<float> got = run(*classifier, rows.size(), 16);
        const std::size_t classes = rows[0].size();
        ASSERT_EQ(got.size(), rows.size() * classes);
        for (std::size_t i = 0; i < got.size(); ++i) {
            const float want = rows[i / classes][i % classes];
            EXPECT_NEAR(got[i], want, 2e-5F * std::max(1.0F, std::abs(want))) << "at " << i;
        }
        // The graph is optimized on later calls.
        for (int i = 0; i < 3; ++i) EXPECT_EQ(run(*classifier, rows.size(), 16), got);
    }
}

TEST(NewerTorchScript, WhatIsStillMissingIsNamedWithTheLibTorchThatHasIt) {
    const ModelSpec spec = fixture_spec("newer_missing.pt");
    try {
        EXPECT_EQ(open_classifier(spec, {"cpu"})->facts().classes, 3U);  // has the operator
        EXPECT_THAT(model_framework(), testing::StartsWith("LibTorch 2."));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input);
        EXPECT_THAT(error.message(),
                    AllOf(HasSubstr("aten::_safe_softmax, which " + model_framework()),
                          HasSubstr("LibTorch 2.14 has it"), HasSubstr("assay torch --build"),
                          HasSubstr("torch.export"), Not(HasSubstr("not a TorchScript"))));
    }
}

TEST(NewerTorchScript, OperatorsOfOtherLibrariesAreNamed) {
    const Error error =
        error_of([] { open_classifier(fixture_spec("newer_foreign.pt"), {"cpu"}); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(),
                AllOf(HasSubstr("calls acme::wobble"), HasSubstr("belongs to \"acme\""),
                      Not(HasSubstr("not a TorchScript"))));
}

TEST(NewerTorchScript, ArgumentsThatAreNotUnderstoodAreNoBrokenFile) {
    const Error error =
        error_of([] { open_classifier(fixture_spec("newer_argument.pt"), {"cpu"}); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(), AllOf(HasSubstr("cannot parse the model's TorchScript code"),
                                       Not(HasSubstr("not a TorchScript"))));
}

}  // namespace
}  // namespace assay
