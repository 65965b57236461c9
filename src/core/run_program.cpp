#include "core/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "assay/error.h"
#include "core/descriptor.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

/// Starts the program with its stdout connected to `out`; -1 if the program does not exist.
pid_t started(const ProgramCall& call, int out) {
    std::vector<std::string> words = call.words;
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    const std::string errors = call.errors.empty() ? "/dev/null" : call.errors.string();
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    pid_t pid = -1;
    const int refused =
        ::posix_spawnp(&pid, pointers[0], &files, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    if (refused == 0) return pid;
    if (refused == ENOENT || refused == EACCES || refused == ENOTDIR || refused == ENOEXEC)
        return -1;
    throw Error(ErrorCode::io,
                fmt::format("cannot start {}: {}", call.words[0], std::strerror(refused)));
}

/// Reads the pipe to its end. Returns false if that takes too long or there is too much output.
bool read_all(const ProgramCall& call, int pipe, std::string& text) {
    const auto begin = Clock::now();
    std::array<char, 4096> part{};
    for (;;) {
        int wait = -1;
        if (call.limit.count() > 0) {
            const auto left = call.limit - (Clock::now() - begin);
            if (left.count() <= 0) return false;
            wait = static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
        }
        pollfd watched = {pipe, POLLIN, 0};
        const int ready = ::poll(&watched, 1, wait);
        if (ready == 0) return false;
        if (ready < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        const ssize_t n = retried([&] { return ::read(pipe, part.data(), part.size()); });
        if (n <= 0) return n == 0;
        text.append(part.data(), static_cast<std::size_t>(n));
        if (text.size() > call.most) return false;
    }
}

}  // namespace

ProgramEnd run_program(const ProgramCall& call) {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw Error(ErrorCode::io, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    const Descriptor reading(ends[0]);
    pid_t pid = -1;
    {
        const Descriptor writing(ends[1]);
        pid = started(call, writing.get());
    }
    ProgramEnd end;
    if (pid < 0) {
        end.found = false;
        return end;
    }
    end.ended = !read_all(call, reading.get(), end.out);
    if (end.ended) ::kill(pid, SIGKILL);
    int status = 0;
    retried([&] { return ::waitpid(pid, &status, 0); });
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return end;
}

}  // namespace assay
