// ONNX models through the plug-in's interface. Fixtures and scores are from make_models.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "assay/error.h"
#include "core/file.h"
#include "images.h"
#include "onnx_writer.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::HasSubstr;

TEST(Onnx, ScoresEqualPythons) {
    for (const char* name :
         {"cnn_opset11.onnx", "cnn_opset13.onnx", "vit_opset11.onnx", "vit_opset13.onnx",
          "conv_out.onnx", "nan.onnx", "fixed_size.onnx", "fixed_batch.onnx"}) {
        const auto classifier = open_classifier(fixture_spec(name));
        const auto& rows = expected().at(name).at("scores");
        const std::vector<float> got = run(*classifier, rows.size(), 16);
        for (std::size_t i = 0; i < got.size(); ++i) {
            const auto& want = rows[i / 5][i % 5];
            if (want.is_null()) {
                EXPECT_TRUE(std::isnan(got[i])) << name << " at " << i;
            } else {
                EXPECT_NEAR(got[i], want.get<float>(), 1e-5F) << name << " at " << i;
            }
        }
        EXPECT_EQ(classifier->facts().fixed_batch,
                  std::string_view(name) == "fixed_batch.onnx" ? 2 : 0)
            << name;
    }
}

TEST(Onnx, Parameters) {
    // The exporter folded the batch norms: 162 + 6 + 60 + 35 are left (see torch_test.cpp).
    EXPECT_EQ(open_classifier(fixture_spec("cnn_opset13.onnx"))->facts().parameters, 263);
    EXPECT_EQ(open_classifier(fixture_spec("fixed_size.onnx"))->facts().parameters,
              3 * 8 * 8 * 5 + 5);
}

TEST(Onnx, FourThreadsGiveTheBitsOfOne) {
    const auto classifier = open_classifier(fixture_spec("vit_opset13.onnx"));
    const std::vector<float> want = run(*classifier, 3, 16);
    std::array<std::vector<float>, 4> got;
    {
        std::vector<std::jthread> threads;
        for (auto& mine : got)
            threads.emplace_back([&] {
                for (int i = 0; i < 10; ++i) mine = run(*classifier, 3, 16);
            });
    }
    for (const auto& mine : got) EXPECT_EQ(mine, want);
}

TEST(Onnx, UnknownOperatorsAreAllNamed) {
    const Error error = error_of([] { open_classifier(fixture_spec("unknown_operator.onnx")); });
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_THAT(error.message(), HasSubstr("does not have: acme::Fancy (1 node, first `"));
    EXPECT_THAT(error.message(), HasSubstr("acme::Wobble (1 node"));
}

TEST(Onnx, DeclaredInputSizeIsNamed) {
    ModelSpec spec = fixture_spec("fixed_size.onnx");
    spec.preprocess.height = 20;
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(),
                HasSubstr("takes images of 3 x 16 x 16 (channels, height, width), but input_size "
                          "is [3, 20, 16]"));
}

TEST(Onnx, OutputsAreChosenByNameOrPosition) {
    ModelSpec spec = fixture_spec("cnn_opset13.onnx");
    for (const char* output : {"", "y", "0"}) {
        spec.output = output;
        EXPECT_EQ(open_classifier(spec)->facts().classes, 5U);
    }
    spec.output = "z";
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(),
                HasSubstr("no output \"z\"; it returns: y"));
}

TEST(Onnx, AFileThatSaysOtherwiseThanTheSidecarIsRefused) {
    ModelSpec spec = fixture_spec("cnn_opset13.onnx");
    spec.input_type = InputType::uint8;
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(),
                HasSubstr("the model takes floats, but input_type is uint8"));
    spec.input_type = InputType::float32;
    spec.layout = InputLayout::nhwc;
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(),
                HasSubstr("the model takes images of 3 x 16 x 16, but layout is nhwc"));
    spec.layout = InputLayout::nchw;
    EXPECT_EQ(open_classifier(spec)->facts().classes, 5U);
}

TEST(Onnx, ALinkToWeightsIsJudgedByWhereItLeads) {
    namespace fs = std::filesystem;
    const Scratch scratch;
    const auto save = [](const fs::path& folder, const std::string& weights) {
        fs::create_directories(folder / fs::path(weights).parent_path());
        OnnxWriter net(weights);
        const std::string w = net.weight({3, 5});
        net.save(
            folder / "model.onnx",
            net.node("MatMul", {net.node("Flatten", {net.node("GlobalAveragePool", {"x"})}), w}),
            16);
    };
    ModelSpec spec = fixture_spec("model.onnx");
    const auto opens = [&](const fs::path& model) {
        spec.path = model;
        return open_classifier(spec, {"cpu"})->facts().data_files.size();
    };
    // In the layout of hubs, both names are links to files in a folder of contents.
    const fs::path hub = scratch / "hub", snapshot = hub / "snapshots/main/onnx";
    save(hub / "blobs", "w.bin");
    fs::create_directories(snapshot);
    fs::create_symlink("../../../blobs/model.onnx", snapshot / "model.onnx");
    fs::rename(hub / "blobs/w.bin", hub / "blobs/a1b2");
    fs::create_symlink("../../../blobs/a1b2", snapshot / "w.bin");
    EXPECT_EQ(opens(snapshot / "model.onnx"), 1U);
    // The link stays inside the model's folder.
    save(scratch / "own", "data/w.bin");
    fs::rename(scratch / "own/data/w.bin", scratch / "own/weights");
    fs::create_symlink("../weights", scratch / "own/data/w.bin");
    EXPECT_EQ(opens(scratch / "own/model.onnx"), 1U);
    // A link to a file or a folder leaves the model's folder.
    save(scratch / "file", "w.bin");
    fs::rename(scratch / "file/w.bin", scratch / "elsewhere");
    fs::create_symlink(scratch / "elsewhere", scratch / "file/w.bin");
    save(scratch / "folder", "data/w.bin");
    fs::rename(scratch / "folder/data", scratch / "other");
    fs::create_symlink("../other", scratch / "folder/data");
    for (const auto& [model, real] : {std::pair{"file/model.onnx", "elsewhere"},
                                      std::pair{"folder/model.onnx", "other/w.bin"}}) {
        const std::string said = error_of([&] { opens(scratch / model); }).message();
        EXPECT_THAT(said, HasSubstr("but a link to " + (scratch / real).string()));
        EXPECT_THAT(said, HasSubstr("cp --remove-destination"));
    }
    fs::remove(scratch / "file/w.bin");
    EXPECT_THAT(error_of([&] { opens(scratch / "file/model.onnx"); }).message(),
                HasSubstr("cannot be read"));
}

TEST(Onnx, DamagedFilesAreRefused) {
    const Scratch scratch;
    ModelSpec spec = fixture_spec("cnn_opset13.onnx");
    const std::string whole = read_text(spec.path);
    const ModelSpec good = spec;
    spec.path = scratch / "damaged.onnx";
    for (std::size_t size = 0; size < whole.size(); size += 41) {
        write(spec.path, std::string_view(whole).substr(0, size));
        EXPECT_EQ(error_of([&] { open_classifier(spec); }).code(), ErrorCode::bad_input) << size;
    }
    write(spec.path, "accuracy,0.9\nlatency,3\n");
    EXPECT_THAT(error_of([&] { open_classifier(spec); }).message(), HasSubstr("not an ONNX model"));
    // A changed byte in a weight or a name may be undetected. The model opens, or an Error says
    // why not.
    for (std::size_t at = 0; at < whole.size(); at += 7) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        write(spec.path, damaged);
        try {
            open_classifier(spec);
        } catch (const Error& error) {
            EXPECT_NE(error.code(), ErrorCode::internal) << at << error.what();
        }
    }
}

}  // namespace
}  // namespace assay
