// What a process may do under the system's limits, tried in a child.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace assay {

/// The exit status of a child that runs `body` and may start no thread beside its first; `body`
/// returns the status. 128 + the signal that ended it. Limits on threads do not hold for root, so
/// that root's child becomes somebody else.
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
