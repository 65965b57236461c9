// Commands over models whose process fails, hangs or is stopped. The worker is tests/model/worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "assay/image/encode.h"
#include "worker_images.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// One image of 48 is white. The name of the model says what the worker does with this image.
class Supervised : public WorkerImages {
protected:
    void SetUp() override {
        WorkerImages::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        std::vector<fs::path> files;
        for (const auto& entry : fs::recursive_directory_iterator(images())) {
            if (entry.is_regular_file()) files.push_back(entry.path());
        }
        std::ranges::sort(files);
        Image white;
        white.width = white.height = 8;
        white.pixels.assign(std::size_t{4} * 8 * 8, 255);  // the pixel is red, green, blue, opaque
        save_png(white, files.at(21));
        white_ = fs::relative(files[21], images()).string();
    }
    std::vector<std::string> command(const std::string& verb, const std::string& model,
                                     std::vector<std::string> more = {}) const {
        std::vector<std::string> words = {ASSAY_PROGRAM, verb, "-m", model,      "-d",
                                          images(),      "-j", "1",  "--device", "cpu"};
        if (verb != "check") words.insert(words.end(), {"--out", runs(), "--batch", "4"});
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    /// The six scores of each row, as bytes.
    static std::vector<std::string> rows_of(const fs::path& store) {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(store / "shards")) {
            if (entry.path().extension() == ".npy") files.push_back(entry.path());
        }
        std::ranges::sort(files);
        std::string bytes;
        constexpr std::size_t row = 24;
        for (const fs::path& file : files) {
            const std::string all = slurp(file);
            // The array after ten bytes and a text. The last two of these bytes are its length.
            bytes += all.substr(10U + static_cast<unsigned char>(all.at(8)) +
                                256U * static_cast<unsigned char>(all.at(9)));
        }
        std::vector<std::string> rows;
        for (std::size_t at = 0; at + row <= bytes.size(); at += row)
            rows.push_back(bytes.substr(at, row));
        return rows;
    }
    static void expect_row_lost(const fs::path& store, const fs::path& sound) {
        const auto rows = rows_of(store), expected = rows_of(sound);
        ASSERT_EQ(expected.size(), 48U);
        ASSERT_EQ(rows.size(), 48U);
        for (std::size_t i = 0; i < rows.size(); ++i)
            EXPECT_EQ(rows[i] == expected[i], i != 21) << i;
    }
    fs::path store(const std::string& name) const { return fs::path(runs()) / "shapes" / name; }
    std::string white_;
};

TEST_F(Supervised, AnAttackGoesOnWithoutTheImagesThatFail) {
    const std::vector<std::string> how = {"--attack", "fgsm", "--eps", "8/255"};
    ASSERT_EQ(Program(command("attack", "timm:linear", how)).wait().status, 0);
    for (const std::string name : {"crash_at_image", "raises_at_image"}) {
        const Outcome outcome = Program(command("attack", "timm:" + name, how)).wait();
        EXPECT_EQ(outcome.status, 3) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(white_));
        for (const char* attack : {"", "@fgsm-linf-8_255", "@noise-linf-8_255"}) {
            SCOPED_TRACE(name + attack);
            expect_row_lost(store(name + ".v1" + attack), store(std::string("linear.v1") + attack));
        }
    }
}

TEST_F(Supervised, AnAttackSavesTheOtherImages) {
    const Outcome outcome =
        Program(command("attack", "timm:raises_at_image",
                        {"--attack", "fgsm", "--save-images", scratch_ / "adversarial"}))
            .wait();
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    const std::string labels = slurp(scratch_ / "adversarial/fgsm-linf-8_255/labels.csv");
    EXPECT_EQ(std::ranges::count(labels, '\n'), 48);  // a heading, and all images except one
    EXPECT_THAT(labels, Not(HasSubstr(fs::path(white_).stem().string() + ".npy")));
}

TEST_F(Supervised, ACheckGoesOnWithoutTheImagesThatFail) {
    const Outcome sound = Program(command("check", "timm:linear")).wait();
    for (const char* model : {"timm:crash_at_image", "timm:raises_at_image"}) {
        SCOPED_TRACE(model);
        const Outcome outcome = Program(command("check", model)).wait();
        EXPECT_EQ(outcome.status, 3) << outcome.err;
        EXPECT_THAT(outcome.out, AllOf(HasSubstr("the model cannot compute 1 of 48 images"),
                                       HasSubstr("the first: " + white_),
                                       HasSubstr("scores of an image do not depend on its batch")));
    }
    EXPECT_THAT(sound.out, Not(HasSubstr("cannot compute")));
}

TEST_F(Supervised, TheChecksOfEvalGoOnWithoutTheImagesThatFail) {
    for (const std::string name : {"crash_at_image", "raises_at_image"}) {
        const Outcome outcome = Program({ASSAY_PROGRAM, "eval", "timm:" + name, images(), "--out",
                                         runs(), "-j", "1", "--device", "cpu"})
                                    .wait();
        EXPECT_EQ(outcome.status, 3) << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr("could not be computed: " + white_),
                                       Not(HasSubstr("could not be checked"))));
        EXPECT_THAT(outcome.out, HasSubstr("47"));
    }
}

// The checks also try pixels from 0 to 255.
TEST_F(Supervised, AModelThatRefusesOtherPixelValuesIsCheckedByItsOwn) {
    for (const std::string verb : {"eval", "check"}) {
        SCOPED_TRACE(verb);
        const auto outcome_of = [&](const std::string& name) {
            std::vector<std::string> words = {ASSAY_PROGRAM, verb, "timm:" + name};
            if (verb == "check") words.insert(words.begin() + 2, "-m");
            if (verb == "check") words.emplace_back("-d");
            words.insert(words.end(), {images(), "-j", "1", "--device", "cpu"});
            if (verb == "eval") words.insert(words.end(), {"--out", runs()});
            return Program(words).wait();
        };
        const Outcome sound = outcome_of("linear"), own = outcome_of("checks_range");
        EXPECT_EQ(own.status, sound.status) << own.err;
        EXPECT_THAT(own.err, Not(HasSubstr("out of range")));
        if (verb == "check") {
            EXPECT_THAT(own.out, HasSubstr("values 0 to 255 0.0 %"));
        }
    }
}

TEST_F(Supervised, FailedImagesAreComputedAgainAloneWhereAskedFor) {
    const std::vector<std::string> named = {"--name", "m"};
    ASSERT_EQ(Program(command("predict", "timm:linear")).wait().status, 0);
    EXPECT_EQ(Program(command("predict", "timm:crash_at_image", named)).wait().status, 3);
    expect_row_lost(store("m"), store("linear.v1"));
    Outcome outcome = Program(command("predict", "timm:linear", named)).wait();
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, HasSubstr("everything was already computed"));
    outcome = Program(command("predict", "timm:linear", {"--name", "m", "--retry-failed"})).wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("4 predictions in"));
    EXPECT_EQ(rows_of(store("m")), rows_of(store("linear.v1")));
    EXPECT_EQ(Program({ASSAY_PROGRAM, "verify", runs()}).wait().status, 0);
}

TEST_F(Supervised, ARunOfAModelWithoutIdentityDoesNotPromiseToResume) {
    const Outcome outcome =
        Program(command("predict", "timm:unnamed_exit_at_fourth_batch", {"--no-trial"})).wait();
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("12 of 48 images of `shapes` are kept; nothing "
                                             "identifies the model"),
                                   HasSubstr("--out"), Not(HasSubstr("to resume\n"))));
}

TEST_F(Supervised, AHangWhileItMeasuresTheCostIsEnded) {
    const Outcome outcome =
        Program({ASSAY_PROGRAM, "cost", "timm:hang_at_cost", "--model-timeout", "1"}).wait();
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("did not answer for "), HasSubstr("--model-timeout")));
}

TEST_F(Supervised, APluginProcessThatIsNeverReadyIsEnded) {
    const fs::path folder = scratch_ / "plugin";
    fs::create_directories(folder);
    std::ofstream(folder / "libassay_torch.so") << "none\n";
    std::ofstream(folder / "assay-model") << "#!/bin/sh\nexec sleep 3600\n";
    ::chmod((folder / "assay-model").c_str(), 0755);
    std::ofstream(scratch_ / "m.pt") << "none\n";
    const Outcome outcome =
        Program({ASSAY_PROGRAM, "predict", "-m", scratch_ / "m.pt", "--preset", "timm", "-d",
                 images(), "--out", runs(), "--model-timeout", "1", "--device", "cpu"},
                {"ASSAY_PLUGIN_DIR=" + folder.string()})
            .wait();
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("was not ready within 1 s"));
}

TEST_F(Supervised, ASignalIsAnsweredByEachCommandThatRunsModels) {
    const std::string hangs = scratch_ / "hangs";
    const std::vector<std::string> cost = {ASSAY_PROGRAM, "cost", "timm:hang_at_cost"};
    for (const auto& words :
         {command("attack", "timm:hang_at_batch"), command("check", "timm:hang_at_batch"), cost}) {
        SCOPED_TRACE(words[1]);
        fs::remove(hangs);
        Program program(words, {"ASSAY_TEST_HANGS=" + hangs});
        ASSERT_TRUE(program.runs_until([&] { return fs::exists(hangs); })) << program.err();
        ::kill(program.pid(), SIGTERM);
        // The worker hangs for an hour.
        if (!until([&] { return has_ended(program.pid()); })) ::kill(program.pid(), SIGKILL);
        EXPECT_EQ(program.wait().status, 130);
    }
}

TEST_F(Supervised, ListsOfNumbersLeaveTheImagesToTheCommand) {
    const std::vector<std::string> rest = {"--out", runs(), "-j", "1", "--device", "cpu"};
    for (std::vector<std::string> words : std::vector<std::vector<std::string>>{
             {ASSAY_PROGRAM, "eval", "timm:linear", "--input-size", "8", images()},
             {ASSAY_PROGRAM, "eval", "--input-size", "8", "8", "timm:linear", images()},
             {ASSAY_PROGRAM, "eval", "--metrics", "top1", "timm:linear", images()}}) {
        words.insert(words.end(), rest.begin(), rest.end());
        const Outcome outcome = Program(words).wait();
        EXPECT_EQ(outcome.status, 0) << outcome.err;
    }
}

}  // namespace
}  // namespace assay
