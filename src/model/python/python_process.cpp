#include "model/python/python_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "assay/error.h"
#include "core/json_text.h"
#include "model/isolated/channel.h"

// src/model/CMakeLists.txt embeds the bytes of each file between two symbols.
#define ASSAY_EMBEDDED(begin, end, name)                                  \
    extern "C" __attribute__((visibility("hidden"))) const char(begin)[]; \
    extern "C" __attribute__((visibility("hidden"))) const char(end)[];
#include "python_worker_files.inc"
#undef ASSAY_EMBEDDED

namespace assay {
namespace {

using isolated::RunningProcess;

constexpr const char* bootstrap_file = "bootstrap.py";
/// The descriptors at which the worker finds its end of the channel, and its sources.
constexpr int control_descriptor = 3;
constexpr int sources_descriptor = 4;

struct EmbeddedText {
    std::string_view name, text;
};
std::vector<EmbeddedText> embedded_texts() {
    std::vector<EmbeddedText> texts;
#define ASSAY_EMBEDDED(begin, end, name) \
    texts.push_back({name, {begin, static_cast<std::size_t>((end) - (begin))}});
#include "python_worker_files.inc"
#undef ASSAY_EMBEDDED
    return texts;
}

[[noreturn]] void cannot_start(std::string_view what) {
    throw Error(ErrorCode::io, fmt::format("cannot start a process of Python: {}: {}", what,
                                           std::strerror(errno)));
}

/// The worker's sources by file name, as JSON in memory that can be passed to a process.
Descriptor sources_in_memory() {
    nlohmann::json texts = nlohmann::json::object();
    for (const EmbeddedText& embedded : embedded_texts()) {
        if (embedded.name != bootstrap_file)
            texts[std::string(embedded.name)] = std::string(embedded.text);
    }
    return memory_with(json_line(texts), "assay-worker");
}

std::string bootstrap_text() {
    for (const EmbeddedText& embedded : embedded_texts()) {
        if (embedded.name == bootstrap_file) return std::string(embedded.text);
    }
    throw Error(ErrorCode::internal, "the library has no bootstrap of its worker");
}

/// One thread computes a batch, so that results do not depend on the number of threads.
std::vector<std::string> worker_environment(bool offline, const std::vector<std::string>& also) {
    std::vector<std::string> set = {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",
                                    "MKL_NUM_THREADS=1", "PYTHONUNBUFFERED=1"};
    if (offline) {
        set.emplace_back("ASSAY_OFFLINE=1");
        set.emplace_back("HF_HUB_OFFLINE=1");
    }
    set.insert(set.end(), also.begin(), also.end());
    std::vector<std::string> entries = set;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const bool replaced = std::any_of(set.begin(), set.end(), [&](std::string_view own) {
            return text.starts_with(own.substr(0, own.find('=') + 1));
        });
        if (!replaced) entries.emplace_back(text);
    }
    return entries;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

/// Everything that the new process needs, prepared in advance, because memory cannot be allocated
/// between fork and exec.
struct Launch {
    std::string program;
    std::vector<std::string> words, environment;
    std::vector<char*> word_pointers, environment_pointers;
    int control, sources, errors;
    pid_t parent;
};

/// Runs in the new process.
[[noreturn]] void become_worker(const Launch& launch) {
    ::setsid();
    // The signal comes when the thread that forked ends. That thread lives as long as this process.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launch.parent) ::_exit(1);
    // Moves these descriptors above those that are replaced.
    const std::array<int, 3> kept = {::fcntl(launch.control, F_DUPFD, 10),
                                     ::fcntl(launch.sources, F_DUPFD, 10),
                                     ::fcntl(launch.errors, F_DUPFD, 10)};
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
    ::dup2(kept[2], STDERR_FILENO);
    ::dup2(kept[0], control_descriptor);
    ::dup2(kept[1], sources_descriptor);
    // A system call, because glibc only has close_range() since version 2.34.
    if (::syscall(__NR_close_range, sources_descriptor + 1, ~0U, 0) != 0) {
        const long most = ::sysconf(_SC_OPEN_MAX);
        for (int fd = sources_descriptor + 1; fd < most; ++fd) ::close(fd);
    }
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD})
        std::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(launch.program.c_str(), launch.word_pointers.data(),
             launch.environment_pointers.data());
    constexpr std::string_view failed = "it cannot be executed\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, failed.data(), failed.size());
    ::_exit(127);
}

/// A process whose parent is one of our threads, as long as it lives.
class WorkerProcess final : public RunningProcess {
public:
    WorkerProcess(Descriptor control, Descriptor errors, const Launch& launch)
        : RunningProcess(std::move(control), std::move(errors)),
          gone_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (gone_.get() < 0) cannot_start("no event");
        keeper_ = std::thread([this, &launch] { keep(launch); });
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return started_; });
        if (refused_ == 0) return;
        lock.unlock();
        keeper_.join();
        errno = refused_;
        cannot_start("no process");
    }
    ~WorkerProcess() override {
        end();
        keeper_.join();
    }

    int gone() const override { return gone_.get(); }
    std::optional<int> status() override {
        pollfd told{gone_.get(), POLLIN, 0};
        retried([&] { return ::poll(&told, 1, 500); });
        const std::scoped_lock lock(mutex_);
        return status_;
    }
    void end() override {
        const std::scoped_lock lock(mutex_);
        if (pid_ <= 0) return;
        ::kill(-pid_, SIGKILL);  // also kills the processes that it started
        ::kill(pid_, SIGKILL);   // in case it had no session yet
    }
    std::string_view after_a_crash() const override { return ""; }

protected:
    std::vector<int> pids() override {
        const std::scoped_lock lock(mutex_);
        return pid_ > 0 ? std::vector<int>{pid_} : std::vector<int>();
    }

private:
    void keep(const Launch& launch) {
        const pid_t pid = ::fork();
        if (pid == 0) become_worker(launch);
        {
            const std::scoped_lock lock(mutex_);
            started_ = true;
            if (pid < 0) refused_ = errno;
            pid_ = pid;
        }
        changed_.notify_one();
        if (pid < 0) return;
        // No other process gets its number before the program has waited for it.
        siginfo_t ended{};
        retried([&] { return ::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT); });
        const std::scoped_lock lock(mutex_);
        ::kill(-pid, SIGKILL);
        int status = 0;
        if (retried([&] { return ::waitpid(pid, &status, 0); }) == pid) status_ = status;
        pid_ = -1;
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(gone_.get(), &one, sizeof one);
    }

    Descriptor gone_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool started_ = false;
    int refused_ = 0;
    pid_t pid_ = -1;
    std::optional<int> status_;
    std::thread keeper_;
};

/// The process that started this one, which we must not kill.
class OtherProcess final : public RunningProcess {
public:
    OtherProcess(Descriptor control, Descriptor gone)
        : RunningProcess(std::move(control), Descriptor(-1)), gone_(std::move(gone)) {}
    int gone() const override { return gone_.get(); }
    std::optional<int> status() override { return std::nullopt; }
    void end() override { ::shutdown(control(), SHUT_RDWR); }
    std::string_view after_a_crash() const override { return ""; }

private:
    Descriptor gone_;
};

/// Returns -1 if the system gives no descriptor; the end of the channel then shows it.
Descriptor end_of_peer(int socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0 ||
        peer.pid == ::getpid())
        return Descriptor(-1);
    return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, peer.pid, 0)));
}

}  // namespace

Descriptor memory_with(std::string_view bytes, const char* name) {
    Descriptor memory(::memfd_create(name, MFD_CLOEXEC));
    if (memory.get() < 0) cannot_start("no memory");
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = retried(
            [&] { return ::write(memory.get(), bytes.data() + done, bytes.size() - done); });
        if (n <= 0) cannot_start("no memory");
        done += static_cast<std::size_t>(n);
    }
    return memory;
}

std::shared_ptr<RunningProcess> start_worker(const Interpreter& python,
                                             const std::vector<std::string>& arguments,
                                             bool offline, const std::vector<std::string>& also) {
    auto control = isolated::connected_ends();
    const Descriptor sources = sources_in_memory();
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) cannot_start("no pipe");
    Descriptor reading(ends[0]);
    const Descriptor writing(ends[1]);
    // The writing end blocks if the pipe is full, because a failing print would look like a bug.
    ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);

    Launch launch{.program = python.program.string(),
                  .words = {python.program.string(), "-c", bootstrap_text()},
                  .environment = worker_environment(offline, also),
                  .word_pointers = {},
                  .environment_pointers = {},
                  .control = control.second.get(),
                  .sources = sources.get(),
                  .errors = writing.get(),
                  .parent = ::getpid()};
    launch.words.insert(launch.words.end(), arguments.begin(), arguments.end());
    launch.word_pointers = pointers_to(launch.words);
    launch.environment_pointers = pointers_to(launch.environment);
    return std::make_shared<WorkerProcess>(std::move(control.first), std::move(reading), launch);
}

std::shared_ptr<RunningProcess> process_at(int descriptor) {
    int kind = 0;
    socklen_t size = sizeof kind;
    if (descriptor <= STDERR_FILENO ||
        ::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) != 0 ||
        kind != SOCK_SEQPACKET) {
        throw Error(ErrorCode::usage,
                    fmt::format("descriptor {} is not a packet socket to a model; use a model "
                                "object through Assay's Python package, which passes one",
                                descriptor));
    }
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    Descriptor gone = end_of_peer(descriptor);
    return std::make_shared<OtherProcess>(Descriptor(descriptor), std::move(gone));
}

}  // namespace assay
