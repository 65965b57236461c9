// Models in separate processes, through the program: their attempts to write files, and the
// processes that remain if the program is killed or stopped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <set>

#include "shapes_test.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

fs::path program_model(const std::string& name) {
    return fs::path(ASSAY_SOURCE_DIR) / "tests/model/fixtures" / name;
}

/// Runs predict with a model of 16 x 16 in its own folder, so that relative paths in its code stay
/// in that folder. The data set is empty, because only opening the model matters.
Outcome predict_in(const fs::path& folder, const std::string& model,
                   const std::string& isolate = "auto") {
    fs::create_directory(folder / "images");
    return Program({"/bin/sh", "-c",
                    "cd \"$1\" && exec " ASSAY_PROGRAM
                    " predict --model \"$2\" --preset timm --input-size 16 --data images --out "
                    "runs --device cpu --isolate \"$3\"",
                    "sh", folder, program_model(model), isolate})
        .wait();
}

TEST(Isolate, AModelThatWritesAFileIsRefusedAndNothingIsWritten) {
    for (const char* model : {"writes_file.pt", "saves_file.pt"}) {
        const Scratch scratch;
        const Outcome outcome = predict_in(scratch.path(), model);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_THAT(outcome.err,
                    AllOf(HasSubstr(model), HasSubstr("tried to open a file for writing")));
        EXPECT_FALSE(fs::exists(scratch / "written_by_a_model"));
        // Without isolation, the file is written.
        predict_in(scratch.path(), model, "off");
        EXPECT_TRUE(fs::exists(scratch / "written_by_a_model"));
    }
}

TEST(Isolate, APrecisionOfDevicesIsRefusedOnAProcessor) {
    const Scratch scratch;
    fs::create_directory(scratch / "images");
    for (const char* model : {"cnn.pt", "cnn_opset13.onnx"}) {
        for (const char* isolate : {"on", "off"}) {
            const Outcome outcome =
                Program({ASSAY_PROGRAM, "predict", "--model", program_model(model), "--preset",
                         "timm", "--input-size", "16", "--data", scratch / "images", "--out",
                         scratch / "runs", "--device", "cpu", "--precision", "fp16", "--isolate",
                         isolate})
                    .wait();
            EXPECT_EQ(outcome.status, 2);
            EXPECT_THAT(outcome.err, AllOf(HasSubstr(model),
                                           HasSubstr("precision \"fp16\" needs a CUDA device")));
        }
    }
    const Outcome unknown =
        Program({ASSAY_PROGRAM, "predict", "--model", program_model("cnn.pt"), "--preset", "timm",
                 "--data", scratch / "images", "--precision", "half"})
            .wait();
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, HasSubstr("allowed: fp32, tf32, fp16, bf16"));
    std::ofstream(scratch / "assay.toml")
        << "precision = \"fp8\"\n[[model]]\npath = \"" << program_model("cnn.pt").string()
        << "\"\npreset = \"timm\"\n[[data]]\npath = \"images\"\n";
    const Outcome planned =
        Program({ASSAY_PROGRAM, "run", scratch / "assay.toml", "--dry-run"}).wait();
    EXPECT_EQ(planned.status, 2);
    EXPECT_THAT(planned.err, HasSubstr("precision is `fp8`; allowed: fp32"));
}

TEST(Isolate, AModelThatReadsAnotherFileIsRefused) {
    const Scratch scratch;
    std::ofstream(scratch / "secret") << std::string(20, '\0');
    const Outcome outcome = predict_in(scratch.path(), "reads_file.pt");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("Permission denied"), HasSubstr("their own file")));
    EXPECT_THAT(predict_in(scratch.path(), "reads_file.pt", "off").err,
                Not(HasSubstr("Permission denied")));
}

TEST(Isolate, AnUnknownWordIsNamed) {
    const Scratch scratch;
    const Outcome outcome = predict_in(scratch.path(), "cnn.pt", "yes");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("allowed: auto, on, off"));
}

/// The processes called assay-model, and their parents.
std::set<std::pair<pid_t, pid_t>> assay_models() {
    std::set<std::pair<pid_t, pid_t>> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::string line;
        std::getline(std::ifstream(entry.path() / "stat"), line);
        const std::size_t close = line.rfind(')');
        if (close != std::string::npos && line.find("(assay-model)") != std::string::npos &&
            line[close + 2] != 'Z')
            found.emplace(std::stoi(name), std::stoi(line.substr(close + 4)));
    }
    return found;
}

/// The launcher of a program, and the processes of its models.
std::set<pid_t> helpers_of(pid_t program) {
    std::set<pid_t> found;
    const auto all = assay_models();
    for (const auto& [pid, parent] : all) {
        if (parent == program) found.insert(pid);
    }
    const std::set<pid_t> launchers = found;
    for (const auto& [pid, parent] : all) {
        if (launchers.contains(parent)) found.insert(pid);
    }
    return found;
}

bool gone(const std::set<pid_t>& processes) {
    return until([&] {
        const auto all = assay_models();
        return std::ranges::none_of(
            all, [&](const auto& entry) { return processes.contains(entry.first); });
    });
}

class IsolateEnd : public testing::TestWithParam<int> {};

TEST_P(IsolateEnd, NoProcessIsLeft) {
    const Scratch scratch;
    copy_shapes(scratch / "shapes", 60);
    Program program({ASSAY_PROGRAM, "predict", "--model",
                     std::string(ASSAY_SOURCE_DIR) + "/tests/cli/shapes/small.pt", "--data",
                     scratch / "shapes", "--out", scratch / "runs", "--device", "cpu"});
    std::set<pid_t> helpers;
    program.runs_until([&] { return (helpers = helpers_of(program.pid())).size() == 2; });
    ASSERT_EQ(helpers.size(), 2U);  // the launcher and one model process
    ::kill(program.pid(), GetParam());
    const Outcome outcome = program.wait();
    if (outcome.status != 0) {  // all images may have been predicted by then
        EXPECT_EQ(outcome.status, GetParam() == SIGKILL ? 128 + SIGKILL : 130) << outcome.err;
    }
    EXPECT_TRUE(gone(helpers));
}

INSTANTIATE_TEST_SUITE_P(Isolate, IsolateEnd, testing::Values(SIGKILL, SIGINT, SIGTERM));

/// Older kernels and many containers have no Landlock. The other restrictions still apply, and with
/// `on` a message says so.
TEST(Isolate, WithoutLandlockTheRestIsThereAndOnTells) {
    const Scratch scratch;
    copy_shapes(scratch / "shapes", 3);
    const pid_t child = ::fork();
    if (child == 0) {
        constexpr unsigned landlock_create_ruleset = 444;
        sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, landlock_create_ruleset, 0, 1),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const sock_fprog program{4, filter};
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
            ::_exit(77);
        for (const char* isolate : {"on", "auto"}) {
            const Outcome outcome = assay_run(
                {"predict", "--model", std::string(ASSAY_SOURCE_DIR) + "/tests/cli/shapes/small.pt",
                 "--data", scratch / "shapes", "--out", scratch / isolate, "--isolate", isolate,
                 "--device", "cpu"});
            const bool told = outcome.out.find(
                                  "Landlock (landlock_create_ruleset): Function not "
                                  "implemented") != std::string::npos;
            if (outcome.status != 0 || told != (std::string(isolate) == "on")) ::_exit(1);
        }
        // The restrictions of seccomp still apply.
        const Outcome refused = predict_in(scratch.path(), "saves_file.pt");
        ::_exit(refused.status == 2 && !fs::exists(scratch / "written_by_a_model") ? 0 : 2);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no seccomp here";
    EXPECT_EQ(status, 0);
}

/// The same test for gradients, which two threads request at the same time.
/// Runs `command` on the small model and the images of `folder`, with this much address space.
Outcome limited_run(int mib, const fs::path& folder, const std::string& command,
                    const std::string& options) {
    return Program({"/bin/sh", "-c",
                    "ulimit -v $(($1 * 1024)); exec timeout -s KILL 60 " ASSAY_PROGRAM " " +
                        command +
                        " --model \"$2\" --data \"$3/shapes\" --out \"$3/runs\" --device cpu "
                        "--threads 2 " +
                        options,
                    "sh", std::to_string(mib),
                    std::string(ASSAY_SOURCE_DIR) + "/tests/cli/shapes/small.pt", folder})
        .wait();
}

TEST(Gradients, UnderEveryLimitEndOrNameWhatIsMissing) {
    const Scratch scratch;
    copy_shapes(scratch / "shapes", 3);
    for (const int mib : {700, 900, 2000}) {
        fs::remove_all(scratch / "runs");
        const Outcome outcome =
            limited_run(mib, scratch.path(), "attack", "--eps 1/255 --batch 2 --isolate off");
        EXPECT_TRUE(outcome.status == 0 || outcome.status == 2)
            << mib << " MiB: " << outcome.status << ' ' << outcome.err;
    }
}

class AddressSpace : public testing::TestWithParam<const char*> {};

/// With too little address space, OpenBLAS retries an allocation forever, and some libraries exit
/// while they are loaded.
TEST_P(AddressSpace, EveryLimitIsEnoughOrANamedError) {
    const Scratch scratch;
    copy_shapes(scratch / "shapes", 3);
    int done = 0;
    for (const int mib : {300, 560, 580, 600, 650, 700, 800, 2000}) {
        fs::remove_all(scratch / "runs");
        const Outcome outcome =
            limited_run(mib, scratch.path(), "predict", std::string("--isolate ") + GetParam());
        EXPECT_TRUE(outcome.status == 0 || outcome.status == 2)
            << mib << " MiB: " << outcome.status << ' ' << outcome.err;
        if (outcome.status == 2) {
            EXPECT_THAT(outcome.err, AllOf(HasSubstr("assay: error"), Not(HasSubstr("internal"))));
        }
        done += outcome.status == 0 ? 1 : 0;
    }
    EXPECT_GT(done, 0);
}

INSTANTIATE_TEST_SUITE_P(Isolate, AddressSpace, testing::Values("on", "off"));

TEST(Isolate, ResultsAreTheSameBytes) {
    const Scratch scratch;
    copy_shapes(scratch / "shapes", 20);
    for (const char* isolate : {"on", "off"}) {
        const Outcome outcome = assay_run(
            {"predict", "--model", std::string(ASSAY_SOURCE_DIR) + "/tests/cli/shapes/small.pt",
             "--data", scratch / "shapes", "--out", scratch / isolate, "--isolate", isolate,
             "--device", "cpu", "--csv", "--threads", "3"});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    int compared = 0;
    for (const auto& entry : fs::directory_iterator(scratch / "on/shapes/small/shards")) {
        if (entry.path().extension() != ".npy") continue;
        EXPECT_EQ(slurp(entry.path()),
                  slurp(scratch / "off/shapes/small/shards" / entry.path().filename().string()));
        ++compared;
    }
    EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace assay
