// The system calls that the kernel denies a model's process. Each call is tried in a child process.
#include "model/isolated/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

#include "scratch.h"

namespace assay::isolated {
namespace {

namespace fs = std::filesystem;

constexpr int kernel_lacks_it = 77;

/// The status that `body` returns in a child process, or 128 + the signal that ended it.
int status_of(const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(body());
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#define IN_CHILD(...)                                                                        \
    do {                                                                                     \
        const int status = status_of(__VA_ARGS__);                                           \
        if (status == kernel_lacks_it) GTEST_SKIP() << "the kernel here does not have it";   \
        EXPECT_EQ(status, 0) << "the line of the attempt that was not refused as it should"; \
    } while (false)

/// In the child process, the attempt must fail with this errno.
#define REFUSED(call, number) \
    if (errno = 0, (call) >= 0 || errno != (number)) return __LINE__ % 64 + 1

TEST(Sandbox, FilesCanBeReadWhereSaidAndNowhereWritten) {
    const Scratch scratch;
    fs::create_directory(scratch / "allowed");
    std::ofstream(scratch / "allowed/in") << "text";
    std::ofstream(scratch / "model") << "text";
    std::ofstream(scratch / "secret") << "text";
    IN_CHILD([&] {
        if (limit_files({scratch / "allowed", scratch / "model", scratch / "absent"}))
            return kernel_lacks_it;
        if (::open((scratch / "model").c_str(), O_RDONLY) < 0) return 70;
        if (::open((scratch / "allowed/in").c_str(), O_RDONLY) < 0) return 71;
        REFUSED(::open((scratch / "secret").c_str(), O_RDONLY), EACCES);
        REFUSED(::open((scratch / "model").c_str(), O_RDWR), EACCES);
        REFUSED(::open((scratch / "allowed/new").c_str(), O_WRONLY | O_CREAT, 0600), EACCES);
        REFUSED(::open(scratch.path().c_str(), O_TMPFILE | O_RDWR, 0600), EACCES);
        REFUSED(::unlink((scratch / "model").c_str()), EACCES);
        REFUSED(::mkdir((scratch / "allowed/new").c_str(), 0700), EACCES);
        REFUSED(::rename((scratch / "allowed/in").c_str(), (scratch / "allowed/out").c_str()),
                EACCES);
        REFUSED(::execl("/bin/true", "true", nullptr), EACCES);
        return 0;
    });
    EXPECT_FALSE(fs::exists(scratch / "allowed/new"));
}

TEST(Sandbox, CallsThatReachOutFailAndTheFirstIsTold) {
    const Scratch scratch;
    std::ofstream(scratch / "there") << "text";
    const pid_t parent = ::getpid();
    IN_CHILD([&] {
        const int shared = ::memfd_create("buffer", 0);
        if (::ftruncate(shared, 4096) != 0) return 70;
        if (limit_calls()) return kernel_lacks_it;
        if (first_refused_call()) return 71;
        REFUSED(::kill(parent, 0), EACCES);
        if (first_refused_call()) return 72;  // there are no details to report
        return 0;
    });
    IN_CHILD([&] {
        if (limit_calls()) return kernel_lacks_it;
        REFUSED(::socket(AF_INET, SOCK_STREAM, 0), EACCES);
        REFUSED(::socket(AF_UNIX, SOCK_DGRAM, 0), EACCES);
        REFUSED(::open((scratch / "new").c_str(), O_WRONLY | O_CREAT, 0600), EACCES);
        REFUSED(::open((scratch / "there").c_str(), O_RDWR), EACCES);
        REFUSED(::creat((scratch / "new").c_str(), 0600), EACCES);
        REFUSED(::truncate((scratch / "there").c_str(), 0), EACCES);
        REFUSED(::unlink((scratch / "there").c_str()), EACCES);
        REFUSED(::symlink("there", (scratch / "link").c_str()), EACCES);
        REFUSED(::mkdir((scratch / "folder").c_str(), 0700), EACCES);
        REFUSED(::execl("/bin/true", "true", nullptr), EACCES);
        REFUSED(::fork(), EACCES);
        REFUSED(::kill(parent, SIGTERM), EACCES);
        REFUSED(::kill(-1, SIGTERM), EACCES);
        REFUSED(::ptrace(PTRACE_ATTACH, parent, nullptr, nullptr), EACCES);
        char byte = 0;
        iovec mine{&byte, 1}, theirs{&byte, 1};
        REFUSED(::process_vm_writev(parent, &mine, 1, &theirs, 1, 0), EACCES);
        rlimit limit{};
        REFUSED(::prlimit(parent, RLIMIT_CPU, nullptr, &limit), EACCES);
        // This call would send any signal to any process when data arrive.
        REFUSED(::fcntl(STDIN_FILENO, F_SETOWN, parent), EACCES);
        REFUSED(::fcntl(STDIN_FILENO, F_SETSIG, SIGKILL), EACCES);
        const int owner = parent;
        REFUSED(::ioctl(STDIN_FILENO, FIOSETOWN, &owner), EACCES);
        cpu_set_t processors;
        CPU_ZERO(&processors);
        CPU_SET(0, &processors);
        REFUSED(::sched_setaffinity(parent, sizeof processors, &processors), EACCES);
        // fchmodat2 is newer than the list of denied calls.
        REFUSED(::syscall(452, AT_FDCWD, (scratch / "there").c_str(), 0777, 0), ENOSYS);
        const auto attempt = first_refused_call();
        return attempt == "open a socket" ? 0 : 73;
    });
    IN_CHILD([&] {
        if (limit_calls()) return kernel_lacks_it;
        REFUSED(::open((scratch / "new").c_str(), O_WRONLY | O_CREAT, 0600), EACCES);
        return first_refused_call() == "open a file for writing" ? 0 : 70;
    });
    EXPECT_FALSE(fs::exists(scratch / "new"));
    EXPECT_EQ(fs::file_size(scratch / "there"), 4U);
}

TEST(Sandbox, WhatComputingNeedsStillWorks) {
    IN_CHILD([] {
        const auto readable = files_of_the_framework();
        if (limit_files(readable) || limit_calls()) return kernel_lacks_it;
        for (const char* path : {"/proc/cpuinfo", "/proc/self/status", "/proc/self/maps",
                                 "/sys/devices/system/cpu/online", "/dev/urandom"}) {
            if (std::ifstream(path).get() == EOF) return 70;
        }
        int sum = 0;
        std::thread([&] { sum += 1; }).join();
        std::thread([&] { sum += 2; }).join();
        void* memory = ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return 71;
        if (::raise(0) != 0) return 72;
        if (first_refused_call()) return 73;
        return sum == 3 ? 0 : 74;
    });
}

TEST(Sandbox, ThreadsThatAreThereAreLimitedToo) {
    EXPECT_EQ(status_of([] {
                  if (!has_one_thread()) return 70;
                  std::atomic<int> stage{0};
                  int met = -1;
                  std::thread other([&] {
                      stage = 1;
                      stage.notify_all();
                      stage.wait(1);
                      errno = 0;
                      met = ::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : errno;
                  });
                  stage.wait(0);
                  if (has_one_thread()) return 71;
                  const bool limited = !limit_calls();
                  stage = 2;
                  stage.notify_all();
                  other.join();
                  return !limited || met == EACCES ? 0 : 72;
              }),
              0);
}

TEST(Sandbox, AnAbortIsStillAnAbort) {
    const int status = status_of([] {
        if (limit_calls()) return kernel_lacks_it;
        std::abort();
    });
    if (status == kernel_lacks_it) GTEST_SKIP() << "the kernel here does not have it";
    EXPECT_EQ(status, 128 + SIGABRT);
}

}  // namespace
}  // namespace assay::isolated
