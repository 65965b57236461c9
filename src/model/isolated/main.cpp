// assay-model: the program that runs models for Assay, each in a separate process.
//
// It loads LibTorch once, while it has one thread, and forks for each model. This is because
// loading takes half a second, and 60 MB that forked processes share until they write. This process
// itself only runs code of Assay and the framework. It ends with the program that started it, and
// so do all of its processes.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "assay/error.h"
#include "model/isolated/channel.h"
#include "model/isolated/launcher.h"
#include "model/isolated/model_process.h"
#include "model/isolated/sandbox.h"
#include "model/isolated/wire.h"

namespace assay::isolated {
namespace {

sigset_t child_signal() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGCHLD);
    return set;
}

void close_all_from(int first) {
    if (::syscall(__NR_close_range, static_cast<unsigned>(first), ~0U, 0) == 0) return;
    const long most = ::sysconf(_SC_OPEN_MAX);
    for (int fd = first; fd < most; ++fd) ::close(fd);
}

class ModelLauncher {
public:
    explicit ModelLauncher(OpenPlugin plugin) : plugin_(std::move(plugin)), own_(::getpid()) {
        const sigset_t set = child_signal();
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
        children_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    }

    /// Serves requests until the program is gone.
    void serve() {
        for (;;) {
            std::vector<pollfd> watched = {{launcher_descriptor, POLLIN, 0},
                                           {children_, POLLIN, 0}};
            std::vector<pid_t> order;
            for (const auto& [pid, control] : models_) {
                watched.push_back({control.get(), 0, 0});
                order.push_back(pid);
            }
            if (::poll(watched.data(), watched.size(), -1) < 0) continue;
            if (watched[1].revents != 0) reap();
            for (std::size_t i = 0; i < order.size(); ++i) {
                // The program has closed its end and does not wait for this model any more.
                if ((watched[i + 2].revents & POLLHUP) != 0 && models_.contains(order[i]))
                    ::kill(order[i], SIGKILL);
            }
            if (watched[0].revents != 0 && !start_next()) return;
        }
    }

private:
    bool start_next() {
        std::vector<Descriptor> ends;
        const auto request = receive_message(launcher_descriptor, &ends);
        if (!request) return false;
        if (ends.size() != 2) return true;
        const pid_t pid = ::fork();
        if (pid == 0) become_model(*request, ends);
        if (pid < 0) {
            send_message(ends[0].get(),
                         text_of(Error(ErrorCode::io,
                                       fmt::format("no process can be started for the model: {}",
                                                   std::strerror(errno)))));
            return true;
        }
        models_.emplace(pid, std::move(ends[0]));
        return true;
    }

    [[noreturn]] void become_model(const std::string& request, std::vector<Descriptor>& ends) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != own_) ::_exit(1);
        std::signal(SIGPIPE, SIG_IGN);
        // Closes the channels of other models. Only descriptors 3 and 4 remain.
        ::dup2(ends[0].release(), launcher_descriptor);
        ::dup2(ends[1].release(), launcher_descriptor + 1);
        close_all_from(launcher_descriptor + 2);
        const sigset_t set = child_signal();
        ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
        run_model(plugin_, request, Descriptor(launcher_descriptor),
                  Descriptor(launcher_descriptor + 1));
    }

    void reap() {
        signalfd_siginfo ignored{};
        while (::read(children_, &ignored, sizeof ignored) > 0) {
        }
        int status = 0;
        for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            const auto found = models_.find(pid);
            if (found == models_.end()) continue;
            // The model may have filled the channel with its messages, so this must not block.
            const std::string told = text_of_end(status);
            [[maybe_unused]] const auto sent =
                ::send(found->second.get(), told.data(), told.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            models_.erase(found);
        }
    }

    OpenPlugin plugin_;
    pid_t own_;
    int children_ = -1;
    std::map<pid_t, Descriptor> models_;
};

}  // namespace
}  // namespace assay::isolated

int main(int count, char** arguments) {
    using namespace assay;
    using namespace assay::isolated;
    struct stat facts {};
    if (count < 3 || ::fstat(launcher_descriptor, &facts) != 0 || !S_ISSOCK(facts.st_mode)) {
        std::fputs("assay-model runs models for assay, which starts it automatically\n", stderr);
        return 2;
    }
    close_all_from(launcher_descriptor + 1);
    try {
        if (arguments[2] != plugin_build()) {
            throw Error(ErrorCode::usage,
                        fmt::format("{} was built for \"{}\", this program is \"{}\"; install both "
                                    "from one build",
                                    arguments[0], plugin_build(), arguments[2]));
        }
        const std::string path = arguments[1];
        OpenPlugin plugin = [path]() -> const TorchPlugin& { return plugin_at(path); };
        if (count == 3) {
            plugin();
            // A process with threads must not fork, so each model's process loads the plug-in
            // itself.
            if (!has_one_thread())
                ::execl("/proc/self/exe", arguments[0], arguments[1], arguments[2], "late",
                        nullptr);
        }
        if (send_message(launcher_descriptor, text_of(MessageKind::ready)))
            ModelLauncher(std::move(plugin)).serve();
    } catch (const Error& error) {
        send_message(launcher_descriptor, text_of(error));
    } catch (const std::exception& error) {
        send_message(launcher_descriptor, text_of(Error(ErrorCode::io, error.what())));
    }
    // Skips destructors, which have no effect and take long in the framework.
    ::_exit(0);
}
