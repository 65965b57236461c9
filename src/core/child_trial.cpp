#include "core/child_trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "core/descriptor.h"
#include "core/parallel.h"
#include "core/refuse.h"

namespace assay {
namespace {

/// The first byte that a child sends after `body` has returned or thrown.
constexpr char came_back = '.';

[[noreturn]] void no_process(std::string_view what) {
    throw Error(ErrorCode::io, fmt::format("cannot try {}: {}", what, std::strerror(errno)));
}

/// Ends the child without flushing or destroying anything that it inherited.
[[noreturn]] void end_child(int to, std::string_view words) {
    while (!words.empty()) {
        const ssize_t n = retried([&] { return ::write(to, words.data(), words.size()); });
        if (n <= 0) break;
        words.remove_prefix(static_cast<std::size_t>(n));
    }
    ::_exit(0);
}

[[noreturn]] void run_child(int to, const std::function<void()>& body) {
    for (const int signal :
         {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM, SIGINT, SIGHUP})
        ::signal(signal, SIG_DFL);
    // The child ends after this time even if the parent was killed while it waited.
    ::alarm(static_cast<unsigned>(trial_seconds()) + 5);
    std::string words(1, came_back);
    try {
        body();
    } catch (const Error& error) {
        words += error.message();
    } catch (const std::exception& error) {
        words += error.what();
    } catch (...) {
        words += "an exception of an unknown type";
    }
    end_child(to, words);
}

/// Collects the child's output until the child ends. Returns false if that takes too long.
bool hear(int from, std::string& words) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + std::chrono::seconds(trial_seconds());
    std::array<char, 4096> piece{};
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd ready = {from, POLLIN, 0};
        const int found = left <= 0 ? 0 : ::poll(&ready, 1, static_cast<int>(left));
        if (found < 0 && errno == EINTR) {
            if (stop_requested()) return false;
            continue;
        }
        if (found <= 0) return false;
        const ssize_t n = retried([&] { return ::read(from, piece.data(), piece.size()); });
        if (n <= 0) return true;
        words.append(piece.data(), static_cast<std::size_t>(n));
    }
}

}  // namespace

int trial_seconds() {
    const char* const text = std::getenv("ASSAY_PLUGIN_SECONDS");
    if (text == nullptr || *text == '\0') return 60;
    int seconds = 0;
    const char* const end = text + std::strlen(text);
    const auto [stop, fault] = std::from_chars(text, end, seconds);
    if (fault != std::errc() || stop != end || seconds < 1 || seconds > 86400)
        throw Error(ErrorCode::usage,
                    fmt::format("ASSAY_PLUGIN_SECONDS is `{}`; allowed: 1 to 86400", text));
    return seconds;
}

void try_in_child(std::string_view what, const std::function<void()>& body) {
    trial_seconds();  // throws for a wrong value of the variable before the fork
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) no_process(what);
    const Descriptor from(ends[0]);
    pid_t child = -1;
    {
        const Descriptor to(ends[1]);
        child = ::fork();
        if (child < 0) no_process(what);
        if (child == 0) run_child(to.get(), body);
    }
    std::string words;
    const bool in_time = hear(from.get(), words);
    if (!in_time) ::kill(child, SIGKILL);
    int status = 0;
    retried([&] { return ::waitpid(child, &status, 0); });
    throw_if_stopped();
    if (!in_time)
        refuse(
            fmt::format("{}: the trial took longer than {} s; set ASSAY_PLUGIN_SECONDS=600 to "
                        "allow ten minutes",
                        what, trial_seconds()));
    if (WIFSIGNALED(status))
        refuse(fmt::format("{}: it crashed in the trial with signal {} ({})", what,
                           WTERMSIG(status), ::strsignal(WTERMSIG(status))));
    if (words.empty() || words.front() != came_back)
        refuse(fmt::format("{}: it ended the trial process with status {}", what,
                           WEXITSTATUS(status)));
    if (words.size() > 1) refuse(words.substr(1));
}

void try_apart(std::string_view what, bool apart, const std::function<void()>& body) {
    if (apart) {
        body();
    } else {
        try_in_child(what, body);
    }
}

bool true_on_all_threads(const std::function<bool(int thread)>& body) {
    std::array<bool, trial_threads> fine{};
    std::barrier together(trial_threads);
    std::vector<std::thread> threads;
    threads.reserve(trial_threads);
    for (int t = 0; t < trial_threads; ++t) {
        threads.emplace_back([&, t] {
            together.arrive_and_wait();
            try {
                fine[static_cast<std::size_t>(t)] = body(t);
            } catch (const std::exception&) {
                fine[static_cast<std::size_t>(t)] = false;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    throw_if_stopped();  // a stop request may have ended the body with an exception
    return std::ranges::all_of(fine, [](bool one) { return one; });
}

}  // namespace assay
