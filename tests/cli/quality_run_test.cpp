// Measures all quality dimensions from one file through the program, as a user does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class QualityRunProgram : public testing::Test {
protected:
    static void SetUpTestSuite() {
        scratch_ = new Scratch;
        // Images that differ for each role.
        int seed = 1;
        for (const char* role : roles) {
            const fs::path folder = *scratch_ / "images" / role;
            ASSERT_EQ(
                Program({ASSAY_IMAGES, folder.string(), "5", std::to_string(seed++)}).wait().status,
                0);
        }
        // In the role `cues`, the file name must give both classes: circle_0003.png becomes
        // circle3-ring3.png.
        const fs::path cues = *scratch_ / "images/cue-conflict";
        for (const auto& kind : fs::directory_iterator(cues)) {
            if (!kind.is_directory()) continue;
            const std::string name = kind.path().filename().string();
            int i = 0;
            std::vector<fs::path> files;
            for (const auto& file : fs::directory_iterator(kind)) files.push_back(file.path());
            for (const fs::path& file : files) {
                ++i;
                fs::rename(file, kind.path() / (name + std::to_string(i) + "-" +
                                                (name == "ring" ? "cross" : "ring") +
                                                std::to_string(i) + ".png"));
            }
        }
    }
    static void TearDownTestSuite() {
        delete scratch_;
        scratch_ = nullptr;
    }

    static constexpr const char* roles[] = {"val",        "r",          "sketch",
                                            "stylized",   "edge",       "silhouette",
                                            "mixed-same", "mixed-rand", "cue-conflict"};
    static std::string head() {
        const std::string models = ASSAY_SOURCE_DIR "/tests/cli/shapes/";
        return "out = 'runs'\n[[model]]\npath = '" + models + "small.pt'\n[[model]]\npath = '" +
               models + "tiny.pt'\n";
    }
    /// A configuration in its own folder, with all roles except `without`, and with more keys.
    static fs::path config(const std::string& folder, const std::string& without = "",
                           const std::string& more =
                               "corruption-limit = 6\nattack-limit = 6\n"
                               "corruption-resize = 0\ncorruption-crop = 0\n",
                           const std::string& before = "") {
        std::string text = head() + before + "[quality]\n" + more;
        for (const char* role : roles) {
            if (without != role)
                text += std::string(role) + " = '" + (*scratch_ / "images" / role).string() + "'\n";
        }
        const fs::path file = *scratch_ / folder / "assay.toml";
        fs::create_directories(file.parent_path());
        write_file_atomically(file, text);
        return file;
    }
    static Outcome run(const fs::path& file, std::vector<std::string> more = {}) {
        std::vector<std::string> words = {"quality", "run", file.string()};
        words.insert(words.end(), more.begin(), more.end());
        return assay_run(words);
    }
    static Scratch* scratch_;
};
Scratch* QualityRunProgram::scratch_ = nullptr;

TEST_F(QualityRunProgram, KilledAtAnyMomentItEndsWithTheSameBytes) {
    const std::string few =
        "corruptions = ['contrast', 'pixelate']\ncorruption-limit = 6\nattack-limit = 6\n"
        "corruption-resize = 0\ncorruption-crop = 0\n";
    const fs::path reference = config("whole", "", few), file = config("killed", "", few);
    const Outcome whole = run(reference);
    ASSERT_EQ(whole.status, 0) << whole.err;
    EXPECT_THAT(whole.out, HasSubstr("shape bias"));
    EXPECT_THAT(whole.err, HasSubstr("steps, about"));
    const int kills = kills_until_it_gets_through({ASSAY_PROGRAM, "quality", "run", file.string()},
                                                  file.parent_path() / "runs", 40);
    EXPECT_GE(kills, 1);
    EXPECT_EQ(run(file).status, 0);
    for (const char* name : {"runs/quality.json", "runs/quality.csv"}) {
        EXPECT_FALSE(slurp(reference.parent_path() / name).empty());
        EXPECT_EQ(slurp(reference.parent_path() / name), slurp(file.parent_path() / name)) << name;
    }
    // The second run does nothing, and its --json equals the file that was written.
    const Outcome again = run(file, {"--json"});
    EXPECT_THAT(again.err, HasSubstr("everything is already predicted"));
    EXPECT_EQ(again.out, slurp(file.parent_path() / "runs/quality.json"));
}

TEST_F(QualityRunProgram, TheAdviceWorksAsItIsPrinted) {
    const fs::path file = config("my advice", "edge", "corruptions = 'none'\nattacks = 'none'\n");
    const Outcome done = run(file);
    ASSERT_EQ(done.status, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("missing: adversarial robustness, C-robustness, OOD"));
    EXPECT_THAT(done.out, HasSubstr("no data set has the role edge"));
    const std::string begin = "next: assay ";
    const std::size_t at = done.err.find(begin);
    ASSERT_NE(at, std::string::npos);
    std::string hint = done.err.substr(at + begin.size());
    hint = std::string(ASSAY_PROGRAM) + " " + hint.substr(0, hint.find('\n'));
    EXPECT_THAT(hint, HasSubstr("--drop-missing"));
    const Outcome scored = Program({"/bin/sh", "-c", hint}).wait();
    EXPECT_EQ(scored.status, 0) << hint << scored.err;
    EXPECT_THAT(scored.out, HasSubstr("tiny"));
}

TEST_F(QualityRunProgram, ThePlanWritesNothingAndTheQuietRunSaysNothing) {
    const fs::path file = config("plan", "sketch", "corruptions = 'none'\nattacks = 'none'\n");
    const Outcome plan = run(file, {"--plan", "--json"});
    ASSERT_EQ(plan.status, 0) << plan.err;
    EXPECT_FALSE(fs::exists(file.parent_path() / "runs"));
    const json steps = json::parse(plan.out);
    EXPECT_EQ(steps.at("schema"), "assay.quality_plan/1");
    EXPECT_EQ(steps.at("steps").size(), 1U + 8);
    EXPECT_EQ(steps.at("steps")[1].at("passes"), 2 * 30);
    EXPECT_EQ(steps.at("missing").size(), 3U);
    EXPECT_THAT(run(file, {"--plan"}).out,
                AllOf(HasSubstr("Missing: OOD robustness: no data set has the role sketch"),
                      HasSubstr("silhouette")));
    const Outcome quiet = run(file, {"-q", "--no-check", "--csv"});
    EXPECT_EQ(quiet.status, 0);
    EXPECT_EQ(quiet.err, "");
    EXPECT_EQ(quiet.out, slurp(file.parent_path() / "runs/quality.csv"));
}

TEST_F(QualityRunProgram, AnotherRoleLeavesTheOthersPredictionsInPlace) {
    // Two folders have the same name.
    const fs::path moved = *scratch_ / "b/val";
    fs::create_directories(moved.parent_path());
    fs::copy(*scratch_ / "images/edge", moved, fs::copy_options::recursive);
    const auto file = [&](const std::string& more) {
        const fs::path name = *scratch_ / "grows/assay.toml";
        fs::create_directories(name.parent_path());
        write_file_atomically(name, head() + "[quality]\ncorruptions = 'none'\nattacks = 'none'\n" +
                                        "val = '../images/val'\n" + more);
        return name;
    };
    ASSERT_EQ(run(file("")).status, 0);
    const json plan =
        json::parse(run(file("edge = '../b/val'\n"), {"--plan", "--json"}).out).at("steps");
    ASSERT_EQ(plan.size(), 3U);
    EXPECT_EQ(plan[1].at("dataset"), "val");
    EXPECT_EQ(plan[1].at("done"), 1);
    EXPECT_EQ(plan[2].at("dataset"), "edge");
    EXPECT_EQ(plan[2].at("done"), 0);
    // A table with the name of the role is another data set, so both collide.
    const fs::path taken =
        file("sketch = '../b/val'\n[[data]]\npath = '../images/r'\nname = 'sketch'\n");
    EXPECT_THAT(run(taken).err, HasSubstr("two data sets are called `sketch`"));
}

TEST_F(QualityRunProgram, RunDoesItAsItsLastStep) {
    const std::string val = (*scratch_ / "images/val").string();
    // The role uses the data set of the table with that name, including its limit.
    const fs::path file =
        config("run", "val", "val = 'clean'\ncorruptions = 'none'\nattacks = 'none'\n",
               "[[data]]\npath = '" + val + "'\nname = 'clean'\nlimit = 12\n");
    const Outcome outcome = assay_run({"run", file.string()});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("Quality, measured"));
    // All steps together open the model once.
    const std::string note = "clean: 12 of 30 images";
    const std::size_t said = outcome.err.find(note);
    ASSERT_NE(said, std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find(note, said + 1), std::string::npos) << outcome.err;
    const json table = json::parse(slurp(file.parent_path() / "runs/quality.json"));
    EXPECT_EQ(table.at("models")[0].at("dimensions").at("accuracy").at("n"), 12);
    EXPECT_EQ(json::parse(slurp(file.parent_path() / "runs/run.json")).at("quality").at("attacks"),
              "none");
    const Outcome alone = run(file, {"--json"});
    EXPECT_EQ(alone.out, slurp(file.parent_path() / "runs/quality.json"));
}

TEST_F(QualityRunProgram, SettingsWithoutEffectAreNamed) {
    const fs::path hub = *scratch_ / "hub";
    fs::create_directories(hub);
    const fs::path shapes = ASSAY_SOURCE_DIR "/tests/cli/shapes";
    fs::copy_file(shapes / "tiny.pt", hub / "tiny.pt");
    fs::copy_file(shapes / "shapes.txt", hub / "shapes.txt");
    write_file_atomically(hub / "config.json",
                          R"({"architecture": "tiny", "num_classes": 6, "pretrained_cfg": {
            "input_size": [3, 48, 48], "interpolation": "bilinear", "crop_pct": 1.0,
            "crop_mode": "squash", "mean": [0.5, 0.5, 0.5], "std": [0.25, 0.25, 0.25],
            "paper_ids": "none"}})");
    const fs::path file = hub / "assay.toml";
    write_file_atomically(file,
                          "[[model]]\npath = 'tiny.pt'\nclasses = 'shapes.txt'\n[quality]\n"
                          "corruptions = 'none'\nattacks = 'none'\nval = '../images/val'\n");
    const Outcome plan = run(file, {"--plan"});
    EXPECT_EQ(plan.status, 0) << plan.err;
    EXPECT_THAT(plan.err,
                AllOf(HasSubstr("config.json: keys without effect"), HasSubstr("paper_ids")));
}

TEST_F(QualityRunProgram, UnreadableImagesEndWith3) {
    const fs::path val = *scratch_ / "images" / "damaged";
    fs::copy(*scratch_ / "images/val", val, fs::copy_options::recursive);
    write_file_atomically(val / "circle/circle_0001.png", "no image");
    const fs::path file = config(
        "damaged", "val", "val = '" + val.string() + "'\ncorruptions = 'none'\nattacks = 'none'\n");
    for (int time = 0; time < 2; ++time) {
        const Outcome outcome = run(file);
        EXPECT_EQ(outcome.status, 3);
        EXPECT_THAT(outcome.err, HasSubstr("1 of 30"));
    }
}

TEST_F(QualityRunProgram, WhatIsWrongInTheFileEndsWith2BeforeAnythingRuns) {
    const auto refused = [&](const std::string& more, const std::string& before = "") {
        const fs::path file = config("refused", "", more, before);
        const Outcome outcome = run(file);
        EXPECT_EQ(outcome.status, 2) << more;
        EXPECT_FALSE(fs::exists(file.parent_path() / "runs")) << more;
        // `assay run` gives the same message.
        const Outcome other = assay_run({"run", file.string()});
        EXPECT_EQ(other.status, 2) << more;
        EXPECT_FALSE(fs::exists(file.parent_path() / "runs")) << more;
        return outcome.err;
    };
    EXPECT_THAT(refused("corruption-limt = 3\n"), HasSubstr("did you mean `corruption-limit`"));
    EXPECT_THAT(refused("attack-limit = 'many'\n"),
                HasSubstr("[quality].attack-limit is `many`; allowed: a whole number"));
    EXPECT_THAT(refused("attack-eps = '8/0'\n"), HasSubstr("8/0"));
    EXPECT_THAT(refused("attack-eps = true\n"),
                HasSubstr("[quality].attack-eps is true; allowed: a proportion"));
    EXPECT_THAT(refused("corruptions = ['fogg']\n"), HasSubstr("did you mean `fog`"));
    EXPECT_THAT(refused("corruptions = 3\n"),
                HasSubstr("[quality].corruptions is 3; allowed: a list"));
    EXPECT_THAT(refused("attacks = 'fgsm'\n"),
                HasSubstr("[quality].attacks is `fgsm`; allowed: paper, none"));
    EXPECT_THAT(refused("attack-space = 'pixel'\n"), HasSubstr("did you mean `pixels`"));
    EXPECT_THAT(refused("corrupted-transform = 'mdel'\n"), HasSubstr("did you mean `model`"));
    EXPECT_THAT(refused("frost = 'nowhere'\n"), HasSubstr("nowhere"));
    EXPECT_THAT(refused("level = 2\n"), HasSubstr("0.5 to 0.9999"));
    EXPECT_THAT(refused("checks = 'yes'\n"),
                HasSubstr("[quality].checks is `yes`; allowed: true, false"));
    const auto role = [&](const std::string& without, const std::string& value) {
        const fs::path file = config("refused", without, without + " = " + value + "\n");
        const Outcome outcome = run(file);
        EXPECT_EQ(outcome.status, 2) << value;
        EXPECT_FALSE(fs::exists(file.parent_path() / "runs"));
        return outcome.err;
    };
    EXPECT_THAT(role("sketch", "'nothing-there'"), HasSubstr("not a data set of the file"));
    EXPECT_THAT(role("sketch", "3"), HasSubstr("is 3; allowed: a text"));
    EXPECT_THAT(role("sketch", "'" + (*scratch_ / "images/val").string() + "'"),
                HasSubstr("plays the role val already"));
    EXPECT_THAT(role("val", "''"), HasSubstr("needs `val`"));
    const fs::path none = *scratch_ / "none.toml";
    write_file_atomically(none, head() + "[[data]]\npath = 'images/val'\n");
    EXPECT_THAT(run(none).err, HasSubstr("no table [quality]"));
}

}  // namespace
}  // namespace assay
