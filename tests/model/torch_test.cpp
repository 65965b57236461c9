// TorchScript models through the plug-in's interface. Fixtures and scores are from make_models.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "assay/error.h"
#include "core/file.h"
#include "images.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Compares scores of `name` for four images at once with PyTorch's.
void expect_scores(Classifier& classifier, const std::string& name, float tolerance = 1e-5F) {
    const auto& rows = expected().at(name).at("scores");
    const std::size_t n = rows.size();
    const std::vector<float> got = run(classifier, n, 16);
    ASSERT_EQ(got.size(), n * 5);
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto& want = rows[i / 5][i % 5];
        if (want.is_null()) {
            EXPECT_TRUE(std::isnan(got[i])) << name << " at " << i;
        } else {
            EXPECT_NEAR(got[i], want.get<float>(), tolerance) << name << " at " << i;
        }
    }
}

TEST(TorchScript, ScoresEqualPythons) {
    for (const char* name : {"cnn.pt", "frozen.pt", "vit.pt", "double.pt", "nan.pt", "conv_out.pt",
                             "view.pt", "in_place.pt"}) {
        const auto classifier = open_classifier(fixture_spec(name));
        expect_scores(*classifier, name);
        EXPECT_EQ(classifier->facts().classes, 5U);
        EXPECT_EQ(classifier->facts().fixed_batch, 0) << name;
    }
}

TEST(TorchScript, Facts) {
    const auto classifier = open_classifier(fixture_spec("cnn.pt"), {"cpu"});
    // conv 6*3*9, bn 2*6, depthwise 6*9 + 6, bn 2*6 and fc 5*6 + 5 give 162 + 12 + 60 + 12 + 35
    EXPECT_EQ(classifier->facts().parameters, 281);
    EXPECT_EQ(expected().at("cnn.pt").at("parameters"), 281);
    EXPECT_EQ(classifier->facts().device, "cpu");
    EXPECT_THAT(classifier->facts().framework, testing::StartsWith("LibTorch "));
    EXPECT_EQ(model_framework(), classifier->facts().framework);
    // In the frozen model, the weights are constants, and the batch norms are folded into the
    // convolutions. The first one gains a bias: 162 + 6 + 60 + 35.
    EXPECT_EQ(open_classifier(fixture_spec("frozen.pt"))->facts().parameters, 263);
}

TEST(TorchScript, TheCallersInputIsLeftAlone) {
    const auto classifier = open_classifier(fixture_spec("in_place.pt"));
    const std::vector<float> input = images(2, 16);
    std::vector<float> copy = input;
    std::vector<float> out(10);
    classifier->scores(copy, 2, out);
    EXPECT_EQ(copy, input);
}

TEST(TorchScript, OneImageAndNone) {
    const auto classifier = open_classifier(fixture_spec("cnn.pt"));
    const std::vector<float> one = run(*classifier, 1, 16);
    EXPECT_NEAR(one[0], expected()["cnn.pt"]["scores"][0][0].get<float>(), 1e-5F);
    EXPECT_TRUE(run(*classifier, 0, 16).empty());
}

TEST(TorchScript, TheOrderInMemoryIsChosenByRule) {
    EXPECT_EQ(open_classifier(fixture_spec("cnn.pt"))->facts().memory_format, "channels_last");
    // The model regroups channels with view(), which does not support channels last.
    EXPECT_EQ(open_classifier(fixture_spec("view.pt"))->facts().memory_format, "contiguous");
}

TEST(TorchScript, RepeatedCallsGiveTheSameBits) {
    const auto classifier = open_classifier(fixture_spec("vit.pt"));
    const std::vector<float> first = run(*classifier, 3, 16);
    for (int i = 0; i < 5; ++i) {
        run(*classifier, 1, 16);
        EXPECT_EQ(run(*classifier, 3, 16), first);
    }
}

TEST(TorchScript, FourThreadsGiveTheBitsOfOne) {
    for (const char* name : {"cnn.pt", "vit.pt"}) {
        const auto classifier = open_classifier(fixture_spec(name));
        const auto fresh = open_classifier(fixture_spec(name));
        const std::vector<float> want = run(*classifier, 3, 16);
        std::array<std::vector<float>, 4> got;
        {
            std::vector<std::jthread> threads;
            for (auto& mine : got)
                threads.emplace_back([&] {
                    for (int i = 0; i < 10; ++i) mine = run(*fresh, 3, 16);
                });
        }
        for (const auto& mine : got) EXPECT_EQ(mine, want) << name;
    }
}

TEST(TorchScript, OneTensorNeedsNoName) {
    for (const char* name : {"one_tuple.pt", "one_dict.pt", "auxiliary.pt"}) {
        SCOPED_TRACE(name);
        const auto classifier = open_classifier(fixture_spec(name));
        expect_scores(*classifier, name);
    }
    // Further outputs are reported, even if they are empty.
    EXPECT_THAT(open_classifier(fixture_spec("auxiliary.pt"))->facts().notes,
                testing::ElementsAre(
                    "the model returns several outputs (logits (tensor 1 x 5), aux (None)); "
                    "\"logits\" are its scores"));
    EXPECT_THAT(open_classifier(fixture_spec("one_dict.pt"))->facts().notes, testing::IsEmpty());
}

TEST(TorchScript, LogitsAreTakenByTheirName) {
    const auto classifier = open_classifier(fixture_spec("auxiliary_too.pt"));
    expect_scores(*classifier, "auxiliary_too.pt");
    EXPECT_THAT(classifier->facts().notes,
                testing::ElementsAre(HasSubstr("\"logits\" are its scores")));
    const auto dict = open_classifier(fixture_spec("dict.pt"));
    expect_scores(*dict, "dict.pt");
    EXPECT_THAT(dict->facts().notes, testing::SizeIs(1));
    // If the settings name the output, nothing is reported.
    ModelSpec spec = fixture_spec("auxiliary_too.pt");
    spec.output = "logits";
    EXPECT_THAT(open_classifier(spec)->facts().notes, testing::IsEmpty());
    spec.output = "aux";
    EXPECT_EQ(open_classifier(spec)->facts().classes, 6U);
}

TEST(TorchScript, HalfPrecisionIsComputedInSingleOnACpu) {
    // The scores are computed in single precision with the rounded weights. Half precision itself
    // would differ by 1e-3.
    for (const char* name : {"half.pt", "half_inside.pt", "bfloat16.pt"}) {
        SCOPED_TRACE(name);
        const auto classifier = open_classifier(fixture_spec(name), {"cpu"});
        expect_scores(*classifier, name);
        EXPECT_THAT(classifier->facts().notes,
                    testing::ElementsAre(HasSubstr("on a CPU Assay computes in single precision")));
    }
    EXPECT_THAT(open_classifier(fixture_spec("cnn.pt"))->facts().notes, testing::IsEmpty());
}

TEST(TorchScript, BytesWithTheChannelsLast) {
    // bytes.pt normalizes by itself, in the same way as the input of cnn.pt.
    ModelSpec spec = fixture_spec("bytes.pt");
    spec.preprocess.mean = {0.5, 0.5, 0.5};
    spec.preprocess.std = {0.25, 0.25, 0.25};
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(), HasSubstr("bytes are wanted"));
    spec.input_type = InputType::uint8;
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(),
                HasSubstr("channels last are wanted"));
    spec.layout = InputLayout::nhwc;
    const auto bytes = open_classifier(spec);
    EXPECT_THAT(bytes->facts().notes, testing::IsEmpty());
    const auto plain = open_classifier(fixture_spec("cnn.pt"));
    // Every byte in turn, normalized as in the preprocessing.
    std::vector<float> input(std::size_t{2} * 3 * 16 * 16);
    for (std::size_t k = 0; k < input.size(); ++k)
        input[k] = (static_cast<float>(k * 37 % 256) / 255.0F - 0.5F) / 0.25F;
    std::vector<float> got(10), want(10);
    bytes->scores(input, 2, got);
    plain->scores(input, 2, want);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-5F) << i;
}

TEST(TorchScript, TupleAndDictNeedAnOutput) {
    ModelSpec spec = fixture_spec("tuple.pt");
    Error error = error_of([&] { open_classifier(spec); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("0 (tensor 1 x 6), 1 (tensor 1 x 5)"));
    EXPECT_THAT(error.message(), HasSubstr("with --output-entry, or as \"output\" in the sidecar"));
    spec.output = "1";
    expect_scores(*open_classifier(spec), "tuple.pt");
    spec.output = "2";
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(), HasSubstr("no output \"2\""));

    spec = fixture_spec("dict.pt");
    spec.output = "scores";
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(),
                HasSubstr("logits (tensor 1 x 5)"));
    spec.output = "logits";
    expect_scores(*open_classifier(spec), "dict.pt");

    spec = fixture_spec("cnn.pt");
    spec.output = "logits";
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(),
                HasSubstr("returns one tensor"));
}

TEST(TorchScript, WrongClassCount) {
    ModelSpec spec = fixture_spec("cnn.pt");
    spec.num_classes = 1000;
    const Error error = error_of([&] { open_classifier(spec); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("5 scores per image, but num_classes is 1000"));
    spec.num_classes = 5;
    EXPECT_EQ(open_classifier(spec)->facts().classes, 5U);
    spec.classes = ClassList({"a", "b", "c"});
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(), HasSubstr("holds 3 classes"));
}

TEST(TorchScript, FixedBatchIsFoundAndServed) {
    const auto classifier = open_classifier(fixture_spec("fixed_batch.pt"));
    EXPECT_EQ(classifier->facts().fixed_batch, 4);
    expect_scores(*classifier, "fixed_batch.pt");
    // 6 images are one whole batch and one that is padded with zeros. The first four rows are those
    // of one batch.
    const std::vector<float> four = run(*classifier, 4, 16);
    const std::vector<float> six = run(*classifier, 6, 16);
    EXPECT_EQ(std::vector<float>(six.begin(), six.begin() + 20), four);
    EXPECT_EQ(six.size(), 30U);
}

TEST(TorchScript, RefusedInputSizeNamesIt) {
    ModelSpec spec = fixture_spec("fixed_size.pt");
    expect_scores(*open_classifier(spec), "fixed_size.pt");
    spec.preprocess.height = 20;
    const Error error = error_of([&] { open_classifier(spec); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(
        error.message(),
        HasSubstr("refuses a 1 x 3 x 20 x 16 input: mat1 and mat2 shapes cannot be multiplied"));
    EXPECT_THAT(error.message(), testing::Not(HasSubstr("frame #")));
    EXPECT_THAT(std::string(error.what()), HasSubstr("while opening the model"));
}

TEST(TorchScript, WholeNumbersAreNoScores) {
    EXPECT_THAT(error_of([] { open_classifier(fixture_spec("argmax.pt")); }).message(),
                HasSubstr("arg-max"));
}

/// LibTorch itself reads a file with a changed weight, and computes other scores.
TEST(TorchScript, AChangedBitIsNamedOrChangesNoScore) {
    const Scratch scratch;
    ModelSpec spec = fixture_spec("cnn.pt");
    const std::vector<float> scores = run(*open_classifier(spec, {"cpu"}), 2, 16);
    const std::string whole = read_text(spec.path);
    spec.path = scratch / "damaged.pt";
    std::size_t named = 0;
    for (std::size_t k = 0; k < 16; ++k) {
        const std::size_t at = k * whole.size() / 16 + k;
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << k % 8));
        write(spec.path, damaged);
        try {
            EXPECT_EQ(run(*open_classifier(spec, {"cpu"}), 2, 16), scores) << at;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input) << at << ": " << error.what();
            named += error.message().find("is damaged: its CRC-32 is") != std::string::npos;
        }
    }
    EXPECT_GE(named, 3U);
}

TEST(TorchScript, WrongFiles) {
    const Scratch scratch;
    ModelSpec spec = fixture_spec("state_dict.pt");
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(),
                AllOf(HasSubstr("weights only"), HasSubstr("torch.export.save")));

    const std::string whole = read_text(fixture("cnn.pt"));
    spec.path = scratch / "truncated.pt";
    for (const double share : {0.0, 0.1, 0.5, 0.9, 0.999}) {
        write_file_atomically(
            spec.path,
            whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size()))));
        EXPECT_EQ(error_of([&] { open_classifier(spec); }).code(), ErrorCode::bad_input) << share;
    }
    write_file_atomically(spec.path, "accuracy,0.9\n");
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(),
                HasSubstr("not a TorchScript model"));
    spec.path = scratch / "absent.pt";
    EXPECT_EQ(error_of([&] { open_classifier(spec); }).code(), ErrorCode::bad_input);
}

TEST(TorchScript, Devices) {
    const ModelSpec spec = fixture_spec("cnn.pt");
    for (const char* device : {"gpu", "cuda1", "cuda:", "cuda:x", "cuda:-1", "cuda:99", ""}) {
        EXPECT_EQ(error_of([&] { open_classifier(spec, {device}); }).code(), ErrorCode::usage)
            << device;
    }
    EXPECT_THAT(error_of([&] { open_classifier(spec, {"gpu"}); }).message(),
                HasSubstr("auto, cpu, cuda, cuda:N"));
}

TEST(TorchScript, MemoryIsToldApart) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the address sanitizer ends the process on such a request";
#endif
    // One image would have 3 * 2^44 floats, or 2e14 bytes, which no machine has.
    ModelSpec spec = fixture_spec("cnn.pt");
    spec.preprocess.height = spec.preprocess.width = 1 << 22;
    const Error error = error_of([&] { open_classifier(spec); });
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory) << error.what();
}

}  // namespace
}  // namespace assay
