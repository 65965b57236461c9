#include "cli/error_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/error_codes.h"
#include "core/json_text.h"
#include "core/terminal_text.h"

namespace assay::cli {
namespace {

int& report_descriptor() {
    static int descriptor = -1;
    return descriptor;
}

}  // namespace

void open_error_report() {
    const char* const said = std::getenv("ASSAY_ERROR_FD");
    if (said == nullptr) return;
    const std::string text = said;
    ::unsetenv("ASSAY_ERROR_FD");
    int descriptor = -1;
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, descriptor);
    const int flags = problem == std::errc() && stop == end && descriptor > STDERR_FILENO
                          ? ::fcntl(descriptor, F_GETFL)
                          : -1;
    if (flags == -1 || (flags & O_ACCMODE) == O_RDONLY) {
        throw Error(ErrorCode::usage,
                    fmt::format("ASSAY_ERROR_FD={} is not a descriptor that is open for writing; "
                                "allowed: 3 or more, from the caller. Try `unset ASSAY_ERROR_FD`",
                                text));
    }
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    report_descriptor() = descriptor;
}

void report_error(const Error& error) {
    if (report_descriptor() < 0) return;
    nlohmann::json notes = nlohmann::json::array();
    for (const std::string& note : error.notes()) notes.push_back(without_controls(note));
    const nlohmann::json report = {{"code", name_of(error.code())},
                                   {"message", without_controls(error.message())},
                                   {"notes", std::move(notes)}};
    const std::string line = json_line(report) + "\n";
    std::string_view rest = line;
    // The caller may have closed its end of the pipe.
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    while (!rest.empty()) {
        const ::ssize_t written = ::write(report_descriptor(), rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    std::signal(SIGPIPE, before);
}

}  // namespace assay::cli
