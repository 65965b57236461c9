// `assay cost` as its user sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "program.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string shapes = ASSAY_SOURCE_DIR "/tests/cli/shapes/";
const std::string model_fixtures = ASSAY_SOURCE_DIR "/tests/model/fixtures/";

nlohmann::json costs_of(std::vector<std::string> words) {
    words.insert(words.begin(), "cost");
    words.insert(words.end(), {"--json", "-q", "--device", "cpu"});
    const Outcome outcome = assay_run(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
}

std::string refused_cost(std::vector<std::string> words) {
    words.insert(words.begin(), "cost");
    const Outcome outcome = assay_run(words);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
}

TEST(CostCommand, SeveralFormatsStandInOneTable) {
    const std::vector<std::string> files = {model_fixtures + "cnn.pt",
                                            model_fixtures + "cnn_opset13.onnx",
                                            model_fixtures + "pt2_plain.pt2"};
    std::vector<std::string> words = files;
    words.insert(words.end(), {"--input-size", "16"});
    const nlohmann::json result = costs_of(words);
    EXPECT_EQ(result["schema"], "assay.cost/1");
    EXPECT_EQ(result["flops_per_mac"], 2);
    ASSERT_EQ(result["models"].size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        const nlohmann::json& one = result["models"][i];
        // Convolutions over 8 x 8: 6 channels by 27 weights, then 6 by 9. The last layer has 6 x 5.
        EXPECT_EQ(one["macs"], 64 * 6 * 27 + 64 * 6 * 9 + 30);
        EXPECT_EQ(one["flops_per_image"], 2 * (64 * 6 * 27 + 64 * 6 * 9 + 30));
        EXPECT_EQ(one["file_bytes"], std::filesystem::file_size(files[i]));
        EXPECT_EQ(one["measured"]["runs"], 20);
        EXPECT_EQ(one["measured"]["threads"], 1);
        const nlohmann::json& latency = one["measured"]["latency_ms"];
        EXPECT_GT(latency["min"], 0.0);
        EXPECT_LE(latency["min"], latency["lower_quartile"]);
        EXPECT_LE(latency["lower_quartile"], latency["median"]);
        EXPECT_LE(latency["median"], latency["upper_quartile"]);
        EXPECT_LE(latency["upper_quartile"], latency["max"]);
    }
    // The convolutions have 162 and 54 + 6 parameters, the linear layer 30 + 5, and two norms 12
    // each. In the second file the exporter folded a norm into the first convolution, which leaves
    // a bias of 6.
    EXPECT_EQ(result["models"][0]["parameters"], 281);
    EXPECT_EQ(result["models"][1]["parameters"], 263);
}

// `assay version` reads the framework from the plug-in's file without opening it. It must be the
// one that runs.
TEST(CostCommand, RunsTheFrameworkThatVersionNames) {
    const auto costs = costs_of({shapes + "tiny.pt", "--no-latency"});
    const std::string opened = costs.at("models")[0].at("measured").at("framework");
    const auto about =
        nlohmann::json::parse(assay_run({"version", "--devices", "--json"}).out, nullptr, false);
    EXPECT_THAT(about.at("framework").at("is").get<std::string>(),
                testing::StartsWith(opened + ", "));
    EXPECT_GE(about.at("cuda").at("devices").get<int>(), 0);
}

TEST(CostCommand, WhatDoesNotVaryIsTheSameAlways) {
    const auto without_measured = [](std::vector<std::string> more) {
        more.insert(more.begin(), {shapes + "tiny.pt", "--nodes"});
        nlohmann::json result = costs_of(more);
        for (nlohmann::json& one : result["models"]) one.erase("measured");
        return result.dump();
    };
    const std::string first = without_measured({});
    EXPECT_EQ(without_measured({"--threads", "2"}), first);
    EXPECT_EQ(without_measured({"--no-latency"}), first);
    EXPECT_EQ(without_measured({"--isolate", "off", "--runs", "25"}), first);
}

TEST(CostCommand, TablesOfOperatorsAndNodes) {
    const Outcome plain = assay_run({"cost", shapes + "tiny.pt", "--no-latency", "-q"});
    EXPECT_EQ(plain.status, 0) << plain.err;
    EXPECT_THAT(plain.out, AllOf(HasSubstr("GMAC"), HasSubstr("peak at node"),
                                 Not(HasSubstr("aten::conv2d  "))));
    const Outcome all =
        assay_run({"cost", shapes + "tiny.pt", "--no-latency", "-q", "--operators", "--nodes"});
    EXPECT_THAT(all.out, AllOf(HasSubstr("tiny: operators"), HasSubstr("tiny: nodes in the order"),
                               HasSubstr("product")));
    const Outcome csv =
        assay_run({"cost", shapes + "tiny.pt", shapes + "small.pt", "--no-latency", "-q", "--csv"});
    EXPECT_EQ(std::ranges::count(csv.out, '\n'), 3) << csv.out;
}

TEST(CostCommand, OperatorsWithoutARuleAreAWarning) {
    const Outcome outcome = assay_run(
        {"cost", model_fixtures + "spectrum.pt", "--input-size", "16", "--no-latency", "-q"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("warning"), HasSubstr("without a rule"),
                                   HasSubstr("aten::_fft_r2c (1 call)")));
}

TEST(CostCommand, BadInput) {
    const std::string tiny = shapes + "tiny.pt";
    EXPECT_THAT(refused_cost({}), HasSubstr("no MODEL given"));
    EXPECT_THAT(refused_cost({"/nonexistent/m.pt", "--preset", "timm"}),
                HasSubstr("/nonexistent/m.pt"));
    EXPECT_THAT(refused_cost({tiny, "--batch", "0"}), HasSubstr("batch is 0; allowed: 1 to 65536"));
    EXPECT_THAT(refused_cost({tiny, "--threads", "-1"}), HasSubstr("-1"));
    EXPECT_THAT(refused_cost({tiny, "--threads", "0"}),
                HasSubstr("threads is 0; allowed: 1 to 1024"));
    EXPECT_THAT(refused_cost({tiny, "--runs", "3"}), HasSubstr("runs is 3; allowed: 20 to 100000"));
    EXPECT_THAT(refused_cost({tiny, "--runs", "0"}), HasSubstr("--no-latency"));
    EXPECT_THAT(refused_cost({model_fixtures + "fixed_size.onnx", "--input-size", "20"}),
                AllOf(HasSubstr("3 x 16 x 16"), HasSubstr("[3, 20, 20]")));
    EXPECT_THAT(refused_cost({model_fixtures + "fixed_size.pt", "--input-size", "20"}),
                HasSubstr("the model refuses a 1 x 3 x 20 x 20 input"));
    EXPECT_THAT(
        refused_cost({model_fixtures + "fixed_batch.onnx", "--input-size", "16", "--batch", "3"}),
        AllOf(HasSubstr("exactly 2 images"), HasSubstr("the batch has 3")));
    const Scratch scratch;
    const std::string whole = slurp(model_fixtures + "cnn.pt");
    write_file_atomically(scratch / "cut.pt", whole.substr(0, whole.size() / 2));
    EXPECT_THAT(refused_cost({scratch / "cut.pt", "--input-size", "16"}),
                AllOf(HasSubstr("cut.pt"), HasSubstr("cut off: its end record is missing")));
    write_file_atomically(scratch / "text.onnx", "not a model");
    EXPECT_THAT(refused_cost({scratch / "text.onnx", "--input-size", "16"}),
                HasSubstr("not an ONNX model"));
}

TEST(CostCommand, AFixedBatchIsTakenUnlessAnotherIsAskedFor) {
    const nlohmann::json result =
        costs_of({model_fixtures + "fixed_batch.onnx", "--input-size", "16", "--no-latency"});
    EXPECT_EQ(result["models"][0]["batch"], 2);
    EXPECT_EQ(result["models"][0]["macs_per_image"], result["models"][0]["macs"].get<double>() / 2);
    EXPECT_TRUE(result["models"][0]["measured"]["latency_ms"].is_null());
}

}  // namespace
}  // namespace assay
