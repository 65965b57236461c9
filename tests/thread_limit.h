// Runs code in a child process under limits of the system.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace assay {

/// Runs `body` in a child that cannot start further threads. Returns the status from `body`, or 128
/// + the signal that ended the child. Limits on threads do not apply to root, so a child of root
/// changes its user.
inline int status_without_threads(const std::function<int()>& body) {
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit limit{1, 1};
        if (::geteuid() == 0 && (::setgid(4321) != 0 || ::setuid(4321) != 0)) ::_exit(99);
        if (::setrlimit(RLIMIT_NPROC, &limit) != 0) ::_exit(98);
        int status = 97;
        try {
            status = body();
        } catch (...) {
            status = 96;
        }
        ::_exit(status);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace assay
