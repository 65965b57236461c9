// Options with several values before a command's own arguments.
#include "cli/positionals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "scratch.h"

namespace assay::cli {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

class OwnArguments : public testing::Test {
protected:
    void SetUp() override {
        app_.add_option("path", paths_);
        app_.add_option("-m,--model", models_);
        app_.add_option("--size", sizes_)->expected(1, 3);
        app_.add_option("--metric", metrics_);
        app_.add_option("--bins", bins_);
        app_.add_flag("--all", all_);
        std::filesystem::create_directories(photos_);
        std::filesystem::create_directories(scratch_ / number_);
        std::filesystem::current_path(scratch_.path());
    }
    void TearDown() override { std::filesystem::current_path(before_); }
    std::vector<std::string> of(const std::vector<std::string>& arguments) {
        return own_arguments_first(app_, arguments);
    }
    Scratch scratch_;
    const std::filesystem::path before_ = std::filesystem::current_path();
    const std::string photos_ = scratch_ / "photos", number_ = "96";
    CLI::App app_;
    std::vector<std::string> paths_, models_, metrics_;
    std::vector<double> sizes_;
    int bins_ = 0;
    bool all_ = false;
};

TEST_F(OwnArguments, BehindNumbersBeginAtWhatIsNone) {
    EXPECT_THAT(of({"m.pt", "--size", "128", "photos"}),
                ElementsAre("m.pt", "photos", "--size", "128"));
    EXPECT_THAT(of({"--size", "128", "96", "m.pt", "nowhere"}),
                ElementsAre("m.pt", "nowhere", "--size", "128", "96"));
    EXPECT_THAT(of({"--size=128", "m.pt", "--all", photos_}),
                ElementsAre("m.pt", photos_, "--size=128", "--all"));
    EXPECT_THAT(of({"--size", "-0.5", "0.5", "m.pt"}),
                ElementsAre("m.pt", "--size", "-0.5", "0.5"));
}

TEST_F(OwnArguments, BehindWordsBeginAtAPathOrAModel) {
    EXPECT_THAT(of({"--metric", "top1", "ece", photos_, "x"}),
                ElementsAre(photos_, "x", "--metric", "top1", "ece"));
    EXPECT_THAT(of({"--metric", "top1", "m.onnx", photos_}),
                ElementsAre("m.onnx", photos_, "--metric", "top1"));
    EXPECT_THAT(of({"--metric", "top1", "timm:resnet18", "photos"}),
                ElementsAre("timm:resnet18", "photos", "--metric", "top1"));
}

TEST_F(OwnArguments, BehindPathsBeginAtAModel) {
    EXPECT_THAT(of({"--metric", photos_, "m.onnx", "x"}),
                ElementsAre("m.onnx", "x", "--metric", photos_));
}

TEST_F(OwnArguments, BehindAnOptionThatMayStandAlone) {
    app_.get_option("--bins")->expected(0, 1);
    EXPECT_THAT(of({"--bins", photos_}), ElementsAre(photos_, "--bins"));
    EXPECT_THAT(of({"--bins", "20", photos_}), ElementsAre("--bins", "20", photos_));
}

TEST_F(OwnArguments, StayAsTypedWhereNothingIsTaken) {
    for (const std::vector<std::string>& typed : std::vector<std::vector<std::string>>{
             {"m.pt", photos_, "--size", "128", "96"},
             {"m.pt", photos_, "--metric", "top1", photos_},  // takes the following arguments
             {"--model", "a.pt", "b.pt"},
             {"--bins", "15", "m.pt", "--metric", "top1"},
             {"--", "--size", "128", photos_},
             {"--metric", "top1", photos_, "--", "m.pt"},
             {"--metric", photos_, photos_},      // files of settings, one for each model
             {"m.pt", "--size", "128", number_},  // a folder with this name exists
             {"--unknown", "128", photos_},
             {"--size"}}) {
        EXPECT_THAT(of(typed), ElementsAreArray(typed));
    }
    CLI::App without;
    without.add_option("--size", sizes_)->expected(1, 3);
    EXPECT_THAT(own_arguments_first(without, {"--size", "1", "photos"}),
                ElementsAre("--size", "1", "photos"));
}

}  // namespace
}  // namespace assay::cli
