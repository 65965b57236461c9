// The state of another process, from /proc/PID/status (Linux).
#pragma once

#include <sys/wait.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace assay {

/// The text after `name:` in its status, or "" if the process no longer exists.
inline std::string status_field(pid_t pid, const std::string& name) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);) {
        if (!line.starts_with(name + ":")) continue;
        const std::size_t begin = line.find_first_not_of(" \t", name.size() + 1);
        return begin == std::string::npos ? "" : line.substr(begin);
    }
    return "";
}

/// Whether a signal is in this set of its signals: SigCgt (has a handler), SigIgn (is ignored),
/// ShdPnd and SigPnd (has not been handled).
inline bool in_signal_set(pid_t pid, const std::string& set, int number) {
    std::uint64_t bits = 0;
    std::istringstream(status_field(pid, set)) >> std::hex >> bits;
    return (bits >> (number - 1) & 1) != 0;
}

inline bool has_ended(pid_t pid) {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid;
}

/// Whether the process handles SIGTERM and sleeps. Then `assay` has started and waits for
/// something.
inline bool handles_and_waits(pid_t pid) {
    return in_signal_set(pid, "SigCgt", SIGTERM) && status_field(pid, "State").starts_with("S");
}

/// Whether the process has handled the sent signal, and sleeps again.
inline bool handled_and_waits(pid_t pid, int number) {
    return !in_signal_set(pid, "ShdPnd", number) && !in_signal_set(pid, "SigPnd", number) &&
           handles_and_waits(pid);
}

}  // namespace assay
