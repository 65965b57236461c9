// The processes of models in Python: how they start, and how the program waits for their messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "assay/model/classifier.h"
#include "images.h"
#include "message_of.h"
#include "model/isolated/running_process.h"
#include "scratch.h"
#include "worker_model.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(BatchLimit, IsTenTimesTheSlowestOfFive) {
    using std::chrono::seconds;
    isolated::BatchLimit limit(0);
    EXPECT_EQ(limit.of(8), seconds(600));
    for (const int time : {8, 80, 16, 8, 8}) limit.took(8, seconds(time));
    EXPECT_EQ(limit.of(8), seconds(800));  // 80 s for 8 images are 10 s per image
    EXPECT_EQ(limit.of(1), seconds(100));
    EXPECT_EQ(limit.of(0), seconds(60));  // the limit is at least this
    limit.took(8, seconds(8000));         // with a sixth of the time, the result is the same
    EXPECT_EQ(limit.of(8), seconds(800));
    EXPECT_EQ(isolated::BatchLimit(7).of(100), seconds(7));
}

/// A process that sends nothing and does not end.
struct QuietProcess final : isolated::RunningProcess {
    QuietProcess() : RunningProcess(Descriptor(-1), Descriptor(-1)) {}
    std::optional<int> status() override { return std::nullopt; }
    void end() override {}
    std::string_view after_a_crash() const override { return ""; }
};

TEST(WaitAt, AnAnswerThatIsThereIsNotLate) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const Descriptor reading(ends[0]), writing(ends[1]);
    QuietProcess process;
    const auto passed = isolated::WaitClock::now() - std::chrono::hours(1);
    EXPECT_EQ(isolated::wait_at(process, reading.get(), passed), isolated::Arrival::late);
    ASSERT_EQ(::write(writing.get(), "x", 1), 1);
    EXPECT_EQ(isolated::wait_at(process, reading.get(), passed), isolated::Arrival::message);
}

/// One thread computes and the others wait for its lane. Then the process ends.
TEST(PythonProcess, AnEndIsHeardByAllThatWaitForTheirTurn) {
    if (!has_worker()) GTEST_SKIP() << "there is no python3 of version 3.9 or newer";
    const auto classifier = open_classifier(worker_spec("timm:one_lane"), {"cpu"});
    std::atomic<int> failed{0};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 6; ++t)
            threads.emplace_back([&] {
                const std::string message = message_of([&] {
                    for (;;) run(*classifier, 1, 8);
                });
                EXPECT_THAT(message, HasSubstr("exited with status 9"));
                ++failed;
            });
    }
    EXPECT_EQ(failed, 6);
}

/// The check at startup, with a Python that claims to be older.
TEST(PythonProcess, TheBootstrapRefusesAnOldPython) {
    if (!has_worker()) GTEST_SKIP() << "there is no python3 of version 3.9 or newer";
    std::ifstream file(ASSAY_SOURCE_DIR "/src/model/python/bootstrap.py");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    ASSERT_THAT(text, HasSubstr("sys.version_info < (3, 9)"));
    const Scratch scratch;
    std::ofstream(scratch / "old.py") << "import sys\nsys.version_info = (3, 8, 1)\n" << text;
    const std::string command =
        "python3 '" + (scratch / "old.py").string() + "' 2> '" + (scratch / "said").string() + "'";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 97);
    std::string line;
    std::getline(std::ifstream(scratch / "said"), line);
    EXPECT_THAT(line, HasSubstr("is Python 3.8; models in Python need Python 3.9 or newer"));
}

TEST(PythonProcess, TheBootstrapImportsNothingOfTheCurrentFolder) {
    if (!has_worker()) GTEST_SKIP() << "there is no python3 of version 3.9 or newer";
    const Scratch scratch;
    fs::create_directories(scratch / "worker");
    std::ofstream(scratch / "worker" / "__init__.py") << "";
    std::ofstream(scratch / "worker" / "__main__.py") << "def main(arguments):\n    return 0\n";
    std::ofstream(scratch / "json.py") << "import os\nos._exit(7)\n";
    const std::string command = "cd '" + scratch.path().string() +
                                "' && ASSAY_WORKER_PATH=worker python3 -c \"$(cat '" +
                                ASSAY_SOURCE_DIR "/src/model/python/bootstrap.py')\"";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
}

}  // namespace
}  // namespace assay
