// Signals to a command that is blocked and cannot finish.
#include <gtest/gtest.h>

#include <csignal>

#include "program.h"

namespace assay {
namespace {

/// A full pipe, so that a process that writes to it waits.
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

/// The child process of `parent`, or -1 if there is none.
pid_t child_of(pid_t parent) {
    const std::string number = std::to_string(parent);
    const std::string children = slurp("/proc/" + number + "/task/" + number + "/children");
    return children.empty() ? -1 : static_cast<pid_t>(std::stol(children));
}

/// Sends SIGTERM twice to `program`, which is `started` or its child and writes into a full pipe.
void expect_the_second_ends(const Program& started, pid_t program) {
    ASSERT_TRUE(started.runs_until([&] { return handles_and_waits(program); }));
    ::kill(program, SIGTERM);
    // The program has handled the first signal, and waits again.
    ASSERT_TRUE(started.runs_until([&] { return handled_and_waits(program, SIGTERM); }));
    ::kill(program, SIGTERM);
    if (!until([&] { return has_ended(started.pid()); })) {
        ADD_FAILURE() << "it still runs";
        ::kill(program, SIGKILL);
    }
}

TEST(Signals, TheSecondOneEndsTheProcessByTheSignal) {
    const FullPipe pipe;
    Program program({ASSAY_PROGRAM, "list", "metrics"}, {}, pipe.in());
    expect_the_second_ends(program, program.pid());
    EXPECT_EQ(program.wait().status, 128 + SIGTERM);
}

// This is the first process of a container. Default actions of signals do not end it.
TEST(Signals, TheSecondOneEndsTheFirstProcessOfAContainer) {
    if (Program({"/usr/bin/unshare", "--pid", "--fork", "/bin/true"}).wait().status != 0)
        GTEST_SKIP() << "no process namespaces here";
    const FullPipe pipe;
    Program container(
        {"/usr/bin/unshare", "--pid", "--fork", "--kill-child", ASSAY_PROGRAM, "list", "metrics"},
        {}, pipe.in());
    pid_t program = -1;
    ASSERT_TRUE(container.runs_until([&] { return (program = child_of(container.pid())) > 0; }));
    expect_the_second_ends(container, program);
    EXPECT_EQ(container.wait().status, 128 + SIGTERM);
}

}  // namespace
}  // namespace assay
