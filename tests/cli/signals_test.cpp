// What a command that cannot end by itself does with signals.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "program.h"

namespace assay {
namespace {

using namespace std::chrono_literals;

/// A pipe into which nothing more goes: whoever writes there waits.
class FullPipe {
public:
    FullPipe() {
        if (::pipe(ends_) != 0) throw std::runtime_error("no pipe");
        ::fcntl(ends_[1], F_SETFL, O_NONBLOCK);
        const char block[4096] = {};
        while (::write(ends_[1], block, sizeof block) > 0) {
        }
        ::fcntl(ends_[1], F_SETFL, 0);
    }
    ~FullPipe() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    FullPipe(const FullPipe&) = delete;
    FullPipe& operator=(const FullPipe&) = delete;
    int in() const { return ends_[1]; }

private:
    int ends_[2] = {};
};

bool has_ended(pid_t pid) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid;
}

bool ends_within(pid_t pid, std::chrono::milliseconds time) {
    const auto deadline = std::chrono::steady_clock::now() + time;
    while (!has_ended(pid)) {
        if (std::chrono::steady_clock::now() > deadline) return false;
        std::this_thread::sleep_for(5ms);
    }
    return true;
}

/// The process that `parent` has started, once there is one.
pid_t child_of(pid_t parent) {
    const std::string number = std::to_string(parent);
    for (int tries = 0; tries < 400; ++tries) {
        const std::string children = slurp("/proc/" + number + "/task/" + number + "/children");
        if (!children.empty()) return static_cast<pid_t>(std::stol(children));
        std::this_thread::sleep_for(5ms);
    }
    return -1;
}

/// Whether the program waits for its output by now: its handlers are there.
bool waits_for_pipe(pid_t pid) {
    for (int tries = 0; tries < 400; ++tries) {
        if (slurp("/proc/" + std::to_string(pid) + "/wchan").find("pipe") != std::string::npos)
            return true;
        std::this_thread::sleep_for(5ms);
    }
    return false;
}

TEST(Signals, TheSecondOneEndsTheProcessByTheSignal) {
    const FullPipe pipe;
    Program program({ASSAY_PROGRAM, "list", "metrics"}, {}, pipe.in());
    if (!waits_for_pipe(program.pid())) std::this_thread::sleep_for(500ms);
    ::kill(program.pid(), SIGTERM);
    EXPECT_FALSE(ends_within(program.pid(), 200ms));
    ::kill(program.pid(), SIGTERM);
    if (!ends_within(program.pid(), 5s)) {
        ADD_FAILURE() << "still there";
        ::kill(program.pid(), SIGKILL);
    }
    EXPECT_EQ(program.wait().status, 128 + SIGTERM);
}

// The first process of a container, which no default action ends.
TEST(Signals, TheSecondOneEndsTheFirstProcessOfAContainer) {
    if (Program({"/usr/bin/unshare", "--pid", "--fork", "/bin/true"}).wait().status != 0)
        GTEST_SKIP() << "no process namespaces here";
    const FullPipe pipe;
    Program container(
        {"/usr/bin/unshare", "--pid", "--fork", "--kill-child", ASSAY_PROGRAM, "list", "metrics"},
        {}, pipe.in());
    const pid_t program = child_of(container.pid());
    ASSERT_GT(program, 0);
    if (!waits_for_pipe(program)) std::this_thread::sleep_for(500ms);
    ::kill(program, SIGTERM);
    EXPECT_FALSE(ends_within(container.pid(), 200ms));
    ::kill(program, SIGTERM);
    if (!ends_within(container.pid(), 5s)) {
        ADD_FAILURE() << "still there";
        ::kill(program, SIGKILL);
    }
    EXPECT_EQ(container.wait().status, 128 + SIGTERM);
}

}  // namespace
}  // namespace assay
