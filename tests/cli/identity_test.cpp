// Data sets with equal names, ids and classes but different images, through the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "shapes_test.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The layout of ImageNet-C on the disk: C/blur/1 and C/noise/1, with the same image names in both.
class Identity : public testing::Test {
protected:
    void SetUp() override {
        make_folders(blur().parent_path());
        make_folders(noise().parent_path());
        copy_shapes(blur(), 4);
        fs::copy(blur(), noise(), fs::copy_options::recursive);
        std::string other;
        for (const auto& entry : fs::recursive_directory_iterator(noise())) {
            if (!entry.is_regular_file()) continue;
            const std::string bytes = slurp(entry.path());
            if (!other.empty()) write_file_atomically(entry.path(), other);  // end of a shard
            other = bytes;
        }
    }
    fs::path blur() const { return scratch_ / "C/blur/1"; }
    fs::path noise() const { return scratch_ / "C/noise/1"; }
    Outcome predict(const std::vector<fs::path>& folders, std::vector<std::string> more = {},
                    const std::string& runs = "runs") {
        std::vector<std::string> words = {
            "predict", "--model",
            (fs::path(ASSAY_SOURCE_DIR) / "tests/cli/shapes/small.pt").string(), "--out",
            (scratch_ / runs).string()};
        for (const fs::path& folder : folders) {
            words.emplace_back("--data");
            words.push_back(folder.string());
        }
        words.insert(words.end(), more.begin(), more.end());
        return assay_run(words);
    }
    Scratch scratch_;
};

TEST_F(Identity, EqualNamesInOneCommandGetTheirFolders) {
    const Outcome both = predict({blur(), noise()}, {"--json"});
    ASSERT_EQ(both.status, 0) << both.err;
    EXPECT_THAT(both.err, AllOf(HasSubstr("blur_1"), HasSubstr("noise_1")));
    const json stores = json::parse(both.out).at("stores");
    EXPECT_EQ(stores.at(0).at("dataset"), "blur_1");
    EXPECT_EQ(stores.at(1).at("dataset"), "noise_1");
    EXPECT_EQ(stores.at(1).at("computed"), 24);
    EXPECT_NE(slurp(scratch_ / "runs/blur_1/small/shards/000000.npy"),
              slurp(scratch_ / "runs/noise_1/small/shards/000000.npy"));
    EXPECT_EQ(json::parse(predict({blur(), noise()}, {"--json"}).out)["stores"][1]["computed"], 0);
}

TEST_F(Identity, AGraphComputedStepByStepIsAnotherStore) {
    const auto graph = [&](const std::string& how) {
        return assay_run(
            {"predict", "--model", ASSAY_SOURCE_DIR "/tests/model/fixtures/cnn_opset13.onnx",
             "--preset", "timm", "--input-size", "16", "--no-trial", "--data",
             (blur() / "circle").string(), "--out", (scratch_ / "runs").string()},
            {"ASSAY_GRAPH=" + how});
    };
    const Outcome written = graph("written");
    ASSERT_EQ(written.status, 0) << written.err;
    EXPECT_EQ(graph("written").status, 0);
    const Outcome fused = graph("fused");
    EXPECT_EQ(fused.status, 2);
    EXPECT_THAT(fused.err,
                AllOf(HasSubstr("the model's graph was computed as `written` and is now `fused`"),
                      HasSubstr("set ASSAY_GRAPH=written in the environment to resume"),
                      Not(HasSubstr("the preprocessing differs"))));
    const Outcome misspelt = graph("folded");
    EXPECT_EQ(misspelt.status, 2);
    EXPECT_THAT(misspelt.err, HasSubstr("allowed: written, fused (the default)"));
}

TEST_F(Identity, OtherBytesUnderOneNameEndWithStatus2) {
    ASSERT_EQ(predict({blur()}).status, 0);
    const Outcome refused = predict({noise()});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("The store was made from `" + blur().string() + "`"),
                                   HasSubstr(noise().string()), HasSubstr("noise_1")));
    EXPECT_EQ(predict({noise()}, {"--dataset-name", "noise_1"}).status, 0);
    // Moved and copied images count as the same images.
    fs::rename(blur(), scratch_ / "1");
    const Outcome moved = predict({scratch_ / "1"}, {"--json"});
    EXPECT_EQ(moved.status, 0) << moved.err;
    EXPECT_EQ(json::parse(moved.out)["stores"][0]["computed"], 0);
    EXPECT_THAT(moved.err, HasSubstr("24 compared by size, 24 of them byte by byte"));
    EXPECT_THAT(predict({scratch_ / "1"}).err, Not(HasSubstr("compared by size")));
}

TEST_F(Identity, RunGivesTheSameNamesAndRefusesEqualOnes) {
    const auto plan = [&](const std::string& name) {
        const std::string text =
            "out = \"runs\"\n[[model]]\npath = \"" +
            (fs::path(ASSAY_SOURCE_DIR) / "tests/cli/shapes/small.pt").string() +
            "\"\n[[data]]\npath = \"C/blur/1\"\n[[data]]\npath = \"C/noise/1\"\n" + name;
        write_file_atomically(scratch_ / "assay.toml", text);
        return assay_run({"run", (scratch_ / "assay.toml").string()});
    };
    const Outcome done = plan("");
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_TRUE(fs::exists(scratch_ / "runs/blur_1/small/manifest.json"));
    EXPECT_TRUE(fs::exists(scratch_ / "runs/noise_1/small/manifest.json"));
    const Outcome refused = plan("name = \"1\"\n[[data]]\npath = \"C\"\nname = \"1\"\n");
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("two [[data]] tables are called `1`"));
}

TEST_F(Identity, TheHintWorksAsItIsPrinted) {
    const Outcome done = predict({blur()}, {}, "my runs");
    ASSERT_EQ(done.status, 0) << done.err;
    const std::string begin = "next: assay ";
    const std::size_t at = done.err.find(begin);
    ASSERT_NE(at, std::string::npos);
    std::string hint = done.err.substr(at + begin.size());
    hint = std::string(ASSAY_PROGRAM) + " " + hint.substr(0, hint.find('\n'));
    EXPECT_EQ(Program({"/bin/sh", "-c", hint}).wait().status, 0) << hint;
}

TEST_F(Identity, HabitsOfPyTorchAreUnderstood) {
    const Outcome done = predict({blur()}, {"--batch-size", "4", "--workers", "2", "--input-size",
                                            "3", "32", "32", "--json"});
    EXPECT_EQ(done.status, 0) << done.err;
    const json manifest = json::parse(slurp(scratch_ / "runs/1/small/manifest.json"));
    EXPECT_EQ(manifest.at("batch_size"), 4);
    const json preprocess = manifest.at("provenance").at("model").at("preprocess");
    EXPECT_EQ(preprocess.at("height"), 32);
    // The message shows the difference, and no hash.
    const Outcome other = predict({blur()}, {"--batch-size", "8", "--input-size", "3,40,32"});
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, AllOf(HasSubstr("height was `32` and is now `40`"),
                                 HasSubstr("the batch size was `4` and is now `8`"),
                                 Not(HasSubstr("xxh128"))));
    EXPECT_THAT(predict({blur()}, {"--input-size", "4,32,32"}).err,
                HasSubstr("allowed: three channels, [3, height, width]"));
    EXPECT_THAT(predict({blur()}, {"--amp"}).err,
                HasSubstr("`--amp`; here it is `--precision fp16`"));
    EXPECT_THAT(predict({blur()}, {"--img-size", "32"}).err,
                HasSubstr("`--img-size`; here it is `--input-size`"));
}

/// A protobuf message by its fields: numbers, and texts or messages inside it.
class Message {
public:
    Message& number(int field, std::uint64_t value) {
        varint(static_cast<std::uint64_t>(field) << 3U);
        varint(value);
        return *this;
    }
    Message& text(int field, const std::string& value) {
        varint(static_cast<std::uint64_t>(field) << 3U | 2U);
        varint(value.size());
        bytes_ += value;
        return *this;
    }
    Message& inside(int field, const Message& value) { return text(field, value.bytes_); }
    const std::string& bytes() const { return bytes_; }

private:
    void varint(std::uint64_t value) {
        for (; value >= 128; value >>= 7U) bytes_ += static_cast<char>(value % 128 + 128);
        bytes_ += static_cast<char>(value);
    }
    std::string bytes_;
};

/// A file as in onnx.proto: the means of the three channels times a 3 x 6 matrix, which is stored
/// in `weights.bin`.
std::string model_with_external_weights() {
    const auto value = [](const std::string& name, const std::vector<std::uint64_t>& sizes) {
        Message shape;
        for (const std::uint64_t size : sizes) shape.inside(1, Message().number(1, size));
        const Message tensor = Message().number(1, 1).inside(2, shape);
        return Message().text(1, name).inside(2, Message().inside(1, tensor));
    };
    const auto node = [](const char* op, std::vector<std::string> inputs, const char* output) {
        Message made;
        for (const std::string& input : inputs) made.text(1, input);
        return made.text(2, output).text(3, output).text(4, op);
    };
    const Message weights = Message()
                                .number(1, 3)
                                .number(1, 6)
                                .number(2, 1)
                                .text(8, "weights")
                                .inside(13, Message().text(1, "location").text(2, "weights.bin"))
                                .number(14, 1);
    const Message graph = Message()
                              .inside(1, node("GlobalAveragePool", {"x"}, "means"))
                              .inside(1, node("Flatten", {"means"}, "flat"))
                              .inside(1, node("Gemm", {"flat", "weights"}, "scores"))
                              .text(2, "graph")
                              .inside(5, weights)
                              .inside(11, value("x", {1, 3, 48, 48}))
                              .inside(12, value("scores", {1, 6}));
    return Message()
        .number(1, 8)
        .inside(7, graph)
        .inside(8, Message().text(1, "").number(2, 13))
        .bytes();
}

/// Two networks with the same architecture have the same model file, and their weights are in
/// another file beside it.
TEST_F(Identity, WeightsInAnotherFileAreTheModelToo) {
    const auto model = [&](const char* folder, float weight) {
        make_folders(scratch_ / folder);
        const std::vector<float> weights(18, weight);
        const auto bytes = std::as_bytes(std::span(weights));
        write_file_atomically(scratch_ / folder / "net.onnx", model_with_external_weights());
        write_file_atomically(scratch_ / folder / "weights.bin", std::span(&bytes, 1));
        return (scratch_ / folder / "net.onnx").string();
    };
    const auto predict_with = [&](const std::string& path) {
        return assay_run({"predict", "--model", path, "--data", blur().string(), "--out",
                          (scratch_ / "runs").string(), "--input-size", "48", "--mean", "0",
                          "--std", "1", "-q"});
    };
    const std::string one = model("one", 1), two = model("two", 2);
    const Outcome done = predict_with(one);
    ASSERT_EQ(done.status, 0) << done.err;
    const Outcome refused = predict_with(two);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("was begun differently"));
    EXPECT_EQ(predict_with(model("copy", 1)).status, 0);
}

}  // namespace
}  // namespace assay
