// `assay patchml` as a user runs it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "core/file.h"
#include "data/temp_folder.h"
#include "patchml/made_images.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PatchmlCommand : public testing::Test {
protected:
    PatchmlCommand() {
        for (std::size_t i = 0; i < 12; ++i) {
            save(one_colour(6, 4, colour_of(i)),
                 folder_ / ("pics/" + std::string(i % 2 == 0 ? "cat" : "dog") + "/" +
                            std::to_string(i) + ".png"));
        }
    }
    Outcome run(const std::vector<std::string>& more, const std::string& out = "out") {
        std::vector<std::string> words = {"patchml", "--whole", images(), "--out",
                                          (folder_ / out).string()};
        words.insert(words.end(), more.begin(), more.end());
        return assay_run(words);
    }
    std::string images() const { return (folder_ / "pics").string(); }
    TempFolder folder_;
};

// An image that the system cannot open now is not damaged, so no data set is made without it.
TEST_F(PatchmlCommand, ImagesThatCannotBeOpenedNowAreThereTheNextTime) {
    const Outcome whole = run({"--k", "2,4", "--canvas", "16", "-q"}, "whole");
    ASSERT_EQ(whole.status, 0) << whole.err;
    bool refused = false;
    for (int most = 4; most < 9; ++most) {
        const std::string out = (folder_ / ("out" + std::to_string(most))).string();
        const std::vector<std::string> limited = {
            "/bin/sh",
            "-c",
            "ulimit -n " + std::to_string(most) + "; exec " ASSAY_PROGRAM +
                " patchml --whole \"$1\" --out \"$2\" --k 2,4 --canvas 16 -q -j 4",
            "sh",
            images(),
            out};
        const Outcome first = Program(limited).wait();
        refused = refused || first.status == 2;
        EXPECT_THAT(first.status, testing::AnyOf(0, 2, 127)) << first.err;
        EXPECT_THAT(first.err, Not(HasSubstr("internal error")));
        const Outcome second =
            run({"--k", "2,4", "--canvas", "16", "-q"}, fs::path(out).filename());
        EXPECT_EQ(second.status, 0) << second.err;
        EXPECT_EQ(slurp(fs::path(out) / "patchml.json"), slurp(folder_ / "whole/patchml.json"));
    }
    EXPECT_TRUE(refused);
}

TEST_F(PatchmlCommand, MakesOneDataSetASeedAndSkipsWhatIsThere) {
    const std::vector<std::string> words = {"--k", "2,4", "--canvas", "16", "--seeds", "3-4"};
    const Outcome made = run(words);
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.out, AllOf(HasSubstr("Composites by number of distinct labels"),
                                HasSubstr("patchml-seed4 (made)")));
    EXPECT_THAT(made.err, AllOf(HasSubstr("12 patches of 12 images; 2 of 2 classes have patches"),
                                HasSubstr("assay predict --model MODEL --data " +
                                          (folder_ / "out/patchml-seed3").string()),
                                HasSubstr("--crop-mode none"), HasSubstr("--subgroups 2,4")));
    EXPECT_TRUE(fs::exists(folder_ /
                           "out/patchml-seed3/k4-p8/000002.png"));  // 12 patches: 3 composites of 4
    EXPECT_FALSE(fs::exists(folder_ / "out/patchml-seed3/k4-p8/000003.png"));

    const Outcome again =
        run({"--k", "2,4", "--canvas", "16", "--seeds", "3,4", "--json", "-q", "-j", "2"});
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.err, "");
    const json report = json::parse(again.out);
    EXPECT_EQ(report["datasets"][1]["state"], "was there");
    EXPECT_EQ(report["datasets"][1]["seed"], 4);
    const json& two = report["datasets"][0]["grids"][0];
    EXPECT_EQ(two["composites"], 6);
    EXPECT_EQ(two["by_labels"][0], 0);
    // For two of 12 patches with six of each class, 2 * 15 of 66 pairs have one class.
    EXPECT_NEAR(two["repeats"]["expected_pool"].get<double>(), 30.0 / 66, 1e-12);
    EXPECT_NEAR(two["repeats"]["expected_equal_classes"].get<double>(), 0.5, 1e-12);

    const Outcome csv = run({"--k", "2,4", "--canvas", "16", "--seed", "3", "--csv", "-q"});
    EXPECT_THAT(csv.out,
                HasSubstr("folder,state,seed,k,p,composites,patches_left,repeats,repeat_proportion,"
                          "repeat_proportion_low,repeat_proportion_high,"));

    const Outcome other = run({"--k", "2", "--canvas", "16", "--seed", "3"});
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, HasSubstr("was made with other settings (grids is "));
}

// Folder names may have any bytes, here one byte of Latin-1.
TEST_F(PatchmlCommand, FoldersThatAreNotUtf8) {
    fs::rename(folder_ / "pics", folder_ / "p\xe9");
    const Outcome made = assay_run({"patchml", "--whole", (folder_ / "p\xe9").string(), "--out",
                                    (folder_ / "o\xe9").string(), "--k", "2", "--canvas", "16",
                                    "--seed", "1", "--json"});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_TRUE(json::accept(made.out));
    EXPECT_TRUE(json::accept(read_text(folder_ / "o\xe9/patchml-seed1/patchml.json")));
}

TEST_F(PatchmlCommand, RefusesBeforeAnythingIsWritten) {
    const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(outcome.err, HasSubstr(why));
        EXPECT_FALSE(fs::exists(folder_ / "out"));
    };
    refused({"--k", "5", "--p", "8", "--canvas", "16"},
            "k = 5, p = 8: k p^2 = 320 is more than canvas^2 = 256");
    refused({"--k", "5", "--p", "6", "--canvas", "16"},
            "the canvas has only 2 x 2 cells of 6 pixels");
    refused({"--k", "13", "--canvas", "512"}, "the pool holds 12 patches");
    refused({"--k", "3", "--distinct"},
            "the pool has only 2 classes, but the labels must be distinct");
    refused({"--k", "0"}, "both must be 1 or more");
    refused({"--k", "2,3", "--p", "1,2,3"}, "--p has 3 numbers for 2 values of k");
    refused({"--seeds", "5-1"}, "from the lower to the higher");
    refused({"--seeds", "1-99999999999999999999"}, "is not a seed");
    refused({"--seeds", "0-18446744073709551615"}, "at most 1000 in all");
    refused({"--seeds", "1,1"}, "a seed appears twice");
    refused({"--seeds", "x"}, "`x` is not a seed");
    refused({"--interpolation", "bicubc"}, "bicubic");
    refused({"--boxes", "x.csv"}, "--boxes excludes --whole");
    refused({"--name", "../x"}, "the name must be a file name");
    EXPECT_THAT(assay_run({"patchml", "--out", "x"}).err,
                HasSubstr("--data and --boxes, or --whole"));
    EXPECT_EQ(run({"--dry-run", "--k", "2"}).status, 0);
    EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(PatchmlCommand, BoxesLeftOutAreCountedShownAndListed) {
    folder_.write("boxes.csv",
                  "image,xmin,ymin,xmax,ymax,class\n0.png,0,0,2,2,cat\ncat/"
                  "2.png,1,1,9,9,cat\n1.png,5,5,2,2,dog\n"
                  "nowhere.png,0,0,1,1,dog\n3.png,0,0,1,1,dog\n");
    const auto rejected = (folder_ / "rejected.csv").string();
    const Outcome outcome =
        assay_run({"patchml", "--data", images(), "--boxes", (folder_ / "boxes.csv").string(),
                   "--k", "2", "--canvas", "16", "--seed", "1", "--out", (folder_ / "out").string(),
                   "--rejected", rejected});
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("boxes: format csv, corners inclusive0; 5 boxes of 1 files"),
                      HasSubstr("1 boxes extended beyond their images and were clipped"),
                      HasSubstr("2 of 5 boxes rejected: 1 reversed, 1 missing_image"),
                      HasSubstr("reversed: boxes.csv line 4: image 1.png, class dog: 5 5 2 2")));
    const std::string listed = slurp(rejected);
    EXPECT_THAT(listed, AllOf(HasSubstr("reversed,boxes.csv line 4,1.png,dog,5 5 2 2\n"),
                              HasSubstr("missing_image,boxes.csv line 5,nowhere.png,dog,")));
    EXPECT_EQ(slurp(folder_ / "out/patchml-seed1/rejected.csv"), listed);
}

// After Ctrl-C the status is 130, and nothing has the final name. The same command then finishes.
TEST_F(PatchmlCommand, InterruptedContinues) {
    std::vector<std::string> words = {ASSAY_PROGRAM, "patchml", "--whole", images(), "--k",   "1",
                                      "--canvas",    "1024",    "--seed",  "1",      "--out", "",
                                      "-j",          "1",       "-q",      "--json"};
    words[11] = (folder_ / "out").string();
    const fs::path partial = folder_ / "out/.patchml-seed1.partial";
    Program program(words);
    program.runs_until([&] { return fs::exists(partial / "k1-p1024/000000.png"); });
    ::kill(program.pid(), SIGINT);
    const Outcome stopped = program.wait();
    if (stopped.status == 0) GTEST_SKIP() << "it was done before the signal came";
    EXPECT_EQ(stopped.status, 130) << stopped.err;
    EXPECT_FALSE(fs::exists(folder_ / "out/patchml-seed1"));
    EXPECT_TRUE(fs::exists(partial / "k1-p1024/000000.png"));
    const Outcome finished = Program(words).wait();
    EXPECT_EQ(finished.status, 0) << finished.err;
    const json set = json::parse(finished.out)["datasets"][0];
    EXPECT_EQ(set["state"], "continued");
    EXPECT_GE(set["found"], 1);
    EXPECT_FALSE(fs::exists(partial));
    words[11] = (folder_ / "fresh").string();
    EXPECT_EQ(Program(words).wait().status, 0);
    for (const char* name : {"labels.csv", "manifest.csv", "patchml.json", "k1-p1024/000000.png",
                             "k1-p1024/000011.png"}) {
        EXPECT_EQ(slurp(folder_ / "out/patchml-seed1" / name),
                  slurp(folder_ / "fresh/patchml-seed1" / name))
            << name;
    }
}

}  // namespace
}  // namespace assay
