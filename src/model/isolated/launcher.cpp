#include "model/isolated/launcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/plugin_folders.h"
#include "model/isolated/channel.h"
#include "model/plugin.h"

namespace assay::isolated {
namespace {

namespace fs = std::filesystem;

/// Looks next to the plug-in, or in the folders for plug-ins.
fs::path launcher_path(const fs::path& plugin) {
    std::vector<fs::path> folders = {plugin.parent_path()};
    for (fs::path& folder : usual_plugin_folders()) folders.push_back(std::move(folder));
    for (const fs::path& folder : folders) {
        fs::path candidate = (folder / launcher_file).lexically_normal();
        if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    throw Error(ErrorCode::usage,
                fmt::format("{}, which isolates models, is not in {}: install it next to the "
                            "plug-in, or run models inside this process (isolate: off)",
                            launcher_file, plugin.parent_path().string()));
}

/// OpenBLAS starts threads when it is loaded, and a process with threads must not fork. One thread
/// is enough for a batch.
std::vector<std::string> launcher_environment() {
    constexpr std::string_view own = "OPENBLAS_NUM_THREADS=";
    std::vector<std::string> entries = {std::string(own) + "1"};
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        if (!std::string_view(*entry).starts_with(own)) entries.emplace_back(*entry);
    }
    return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> out;
    for (std::string& text : texts) out.push_back(text.data());
    out.push_back(nullptr);
    return out;
}

/// The process is detached from the terminal, because Ctrl-C is for the program. It has default
/// actions for all signals.
pid_t spawned(const fs::path& program, std::vector<std::string> words, int end) {
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, end, launcher_descriptor);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_t how;
    ::posix_spawnattr_init(&how);
    sigset_t all, none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&how, &all);
    ::posix_spawnattr_setsigmask(&how, &none);
    ::posix_spawnattr_setflags(&how,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    std::vector<std::string> environment = launcher_environment();
    pid_t pid = -1;
    const int refused = ::posix_spawn(&pid, program.c_str(), &files, &how, pointers(words).data(),
                                      pointers(environment).data());
    ::posix_spawnattr_destroy(&how);
    ::posix_spawn_file_actions_destroy(&files);
    if (refused != 0)
        throw Error(ErrorCode::io,
                    fmt::format("cannot start {}: {}", program.string(), std::strerror(refused)));
    return pid;
}

/// The running assay-model program. It ends when this object is destroyed.
class RunningLauncher {
public:
    RunningLauncher(const fs::path& plugin, std::chrono::seconds limit,
                    std::pair<Descriptor, Descriptor> ends = connected_ends())
        : channel_(std::move(ends.first)), owner_(::getpid()) {
        const fs::path program = launcher_path(plugin);
        {
            const Descriptor theirs(std::move(ends.second));
            pid_ =
                spawned(program, {program.string(), plugin.string(), plugin_build()}, theirs.get());
        }
        wait_until_it_speaks(program, limit);
        const auto answer = receive_message(channel_.get());
        if (answer && kind_of(*answer) == MessageKind::ready) return;
        const int status = waited();
        if (answer) throw failure(*answer);
        throw Error(ErrorCode::io, fmt::format("{} ended before it was ready (status {})",
                                               program.string(), status));
    }
    ~RunningLauncher() {
        // A process that was forked from the program has a copy of this object, but is not the
        // parent.
        if (pid_ > 0 && owner_ == ::getpid()) {
            ::shutdown(channel_.get(), SHUT_RDWR);
            waited();
        }
    }
    RunningLauncher(const RunningLauncher&) = delete;
    RunningLauncher& operator=(const RunningLauncher&) = delete;

    bool usable() const { return owner_ == ::getpid(); }
    pid_t pid() const { return pid_; }
    /// Returns false if assay-model is gone.
    bool start(std::string_view request, const Descriptor& control, const Descriptor& errors) {
        return send_message(channel_.get(), request, {control.get(), errors.get()});
    }

private:
    /// Waits for a message; also returns if the process ends. Throws interrupted within a second of
    /// a stop request; bad_input after the deadline.
    void wait_until_it_speaks(const fs::path& program, std::chrono::seconds limit) {
        constexpr int look = 100;  // a signal wakes only one thread of the program
        const auto deadline = WaitClock::now() + limit;
        pollfd told{channel_.get(), POLLIN, 0};
        while (::poll(&told, 1, look) <= 0) {
            const bool late = WaitClock::now() >= deadline;
            if (!late && !stop_requested()) continue;
            ::kill(pid_, SIGKILL);
            waited();
            throw_if_stopped();
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}, which loads LibTorch, was not ready within {} s, so it "
                                    "was ended; allow more with --model-timeout SECONDS",
                                    program.string(), limit.count()));
        }
    }

    int waited() {
        int status = -1;
        // cleared first, so that a signal cannot make the code wait for it again
        const pid_t pid = std::exchange(pid_, -1);
        retried([&] { return ::waitpid(pid, &status, 0); });
        return status;
    }

    Descriptor channel_;
    pid_t owner_;
    pid_t pid_ = -1;
};

/// Closes the control channel. assay-model then ends the process, and reports over the channel how
/// it ended.
class LaunchedProcess final : public RunningProcess {
public:
    LaunchedProcess(Descriptor control, Descriptor errors, pid_t launcher)
        : RunningProcess(std::move(control), std::move(errors)), launcher_(launcher) {}
    std::optional<int> status() override {
        pollfd told{control(), POLLIN, 0};
        if (retried([&] { return ::poll(&told, 1, 2000); }) <= 0) return std::nullopt;
        const auto answer = receive_message(control());
        if (!answer || kind_of(*answer) != MessageKind::ended) return std::nullopt;
        return end_of(*answer);
    }
    void end() override { ::shutdown(control(), SHUT_RDWR); }
    std::string_view after_a_crash() const override {
        return "the file is damaged, or triggers a defect of LibTorch; export the model again, or "
               "to ONNX";
    }

protected:
    /// Returns all models' processes: only assay-model knows which process has which model.
    std::vector<int> pids() override {
        std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", launcher_));
        return {std::istream_iterator<int>(children), {}};
    }

private:
    pid_t launcher_;
};

std::pair<Descriptor, Descriptor> error_pipe() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        throw Error(ErrorCode::io, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

}  // namespace

void try_plugin(const fs::path& plugin) {
    const RunningLauncher ready(plugin, longest_silence);
}

std::unique_ptr<RunningProcess> start_model(const OpenRequest& request) {
    static std::mutex mutex;
    static std::unique_ptr<RunningLauncher> running;
    auto control = connected_ends();
    auto errors = error_pipe();
    const std::string message = text_of(request);
    const std::chrono::seconds chosen(request.options.model_timeout);
    const std::scoped_lock lock(mutex);
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (!running || !running->usable())
            running = std::make_unique<RunningLauncher>(
                find_plugin(), chosen.count() > 0 ? chosen : longest_silence);
        if (running->start(message, control.second, errors.second))
            return std::make_unique<LaunchedProcess>(std::move(control.first),
                                                     std::move(errors.first), running->pid());
        running.reset();
    }
    throw Error(ErrorCode::io, fmt::format("{} ended at once, twice", launcher_file));
}

}  // namespace assay::isolated
