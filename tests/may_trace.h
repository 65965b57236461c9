// Whether a process may trace its children. Emulators and some containers do not allow this.
#pragma once

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace assay {

inline bool may_trace() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 42);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace assay
