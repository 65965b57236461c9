#include "core/shortened_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace assay {
namespace {

constexpr int bad_input_status = 2;
const char* program_name = "";

// The code below runs inside the signal handler: it uses only system calls and the stack.

std::uintptr_t hexadecimal(const char*& at) {
    std::uintptr_t value = 0;
    for (;; ++at) {
        const char c = *at;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) return value;
        value = value * 16 + static_cast<std::uintptr_t>(digit);
    }
}

/// The file in a line of /proc/self/maps (begin-end rights offset device inode path) if its range
/// contains the address; otherwise null.
const char* mapped_file(const char* line, std::uintptr_t address) {
    const char* at = line;
    const std::uintptr_t begin = hexadecimal(at);
    if (*at != '-') return nullptr;
    ++at;
    const std::uintptr_t end = hexadecimal(at);
    if (address < begin || address >= end) return nullptr;
    const char* path = std::strchr(at, '/');
    return path;
}

/// Writes the name to `path`, or "" if the address belongs to no file.
void find_mapped_file(std::uintptr_t address, char* path, std::size_t size) {
    path[0] = '\0';
    const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (maps < 0) return;
    char line[4608];
    std::size_t used = 0;
    for (char c = 0; path[0] == '\0';) {
        const ssize_t got = ::read(maps, &c, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        if (c != '\n') {
            if (used + 1 < sizeof line) line[used++] = c;
            continue;
        }
        line[used] = '\0';
        used = 0;
        if (const char* found = mapped_file(line, address)) std::strncpy(path, found, size - 1);
    }
    ::close(maps);
}

void say(const char* text) {
    if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // nobody listens
}

extern "C" void on_bus_error(int number, siginfo_t* info, void*) {
    static char path[4097];
    if (info->si_code == BUS_ADRERR)
        find_mapped_file(reinterpret_cast<std::uintptr_t>(info->si_addr), path, sizeof path);
    if (path[0] == '\0') {
        std::signal(number, SIG_DFL);
        ::raise(number);
        return;
    }
    if (::isatty(STDERR_FILENO) == 1) say("\r\033[K");
    say(program_name);
    say(": error: `");
    say(path);
    say("` was truncated while it was read; run the command again when no other program writes to "
        "it\n");
    ::_exit(bad_input_status);
}

}  // namespace

void name_shortened_files(const char* program) {
    program_name = program;
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace assay
