// The command `assay`: looks its first argument up in the table of commands and turns errors into
// exit statuses.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "assay/version.h"
#include "cli/cmd_completion.h"
#include "cli/command.h"
#include "cli/error_report.h"
#include "cli/habits.h"
#include "cli/help.h"
#include "cli/outputs.h"
#include "cli/ranks.h"
#include "cli/terminal.h"
#include "core/parallel.h"
#include "core/shortened_files.h"
#include "core/terminal_text.h"

namespace assay::cli {
namespace {

/// Commands under a heading of `assay --help`.
struct CommandGroup {
    std::string_view heading;
    std::vector<std::string_view> names;
};

/// The groups are in the order of usual need, as in docs/commands.md. Names of commands that this
/// build lacks are skipped.
const std::vector<CommandGroup>& command_groups() {
    static const std::vector<CommandGroup> groups = {
        {"Evaluate",
         {"eval", "predict", "import", "score", "compare", "calibrate", "conformal", "decide",
          "slices", "ensemble", "gap", "show", "report", "plot", "paper", "export", "run", "demo"}},
        {"Robustness and cost",
         {"corrupt", "robustness", "attack", "certify", "patchml", "quality", "cost"}},
        {"Labels",
         {"inspect", "check", "labels", "serve", "audit", "estimate", "mad", "replicate"}},
        {"Many machines", {"join", "verify"}},
        {"Housekeeping", {"list", "relabel", "torch", "completion", "manual", "version"}},
    };
    return groups;
}

/// All commands below their headings, with the same column widths in all groups. A command without
/// a group comes last.
std::string grouped_commands(bool colour) {
    std::vector<Command> left = commands();
    std::size_t width = 0;
    for (const Command& command : left) width = std::max(width, command.name.size());
    std::string out;
    const auto add = [&](std::string_view heading, const std::vector<Command>& group) {
        if (group.empty()) return;
        out += colour ? fmt::format("\033[1m{}\033[0m:\n", heading) : fmt::format("{}:\n", heading);
        for (const Command& command : group) {
            out += fmt::format("  {}{:<{}}{}  {}\n", colour ? "\033[1m" : "", command.name, width,
                               colour ? "\033[0m" : "", command.summary);
        }
        out += '\n';
    };
    for (const CommandGroup& group : command_groups()) {
        std::vector<Command> members;
        for (const std::string_view name : group.names) {
            const auto found = std::ranges::find(left, name, &Command::name);
            if (found == left.end()) continue;
            members.push_back(*found);
            left.erase(found);
        }
        add(group.heading, members);
    }
    add("Others", left);
    return out;
}

std::string help() {
    const bool colour = stdout_is_terminal();
    const auto bold = [colour](std::string_view text) {
        return colour ? "\033[1m" + std::string(text) + "\033[0m" : std::string(text);
    };
    std::string out =
        "Assay " + std::string(version) +
        ": evaluates image classifiers: every metric with a confidence interval.\n\n" +
        bold("Usage") + ": assay COMMAND [options]        assay COMMAND --help\n\n";
    out += grouped_commands(colour);
    out += bold("Examples") + ":\n";
    for (const std::string& line : program_examples()) out += "  " + line + "\n";
    out += "\nExit status: ";
    for (const auto& [status, meaning] : status_meanings()) {
        if (status != Status::done) out += ", ";
        out += std::to_string(status) + " " + std::string(meaning);
    }
    return out + ".\n";
}

int status_of(const Error& error) {
    switch (error.code()) {
        case ErrorCode::interrupted:
            return Status::interrupted;
        case ErrorCode::internal:
            return Status::internal_error;
        default:
            return Status::bad_input;
    }
}

Ended ended_by(const Error& error) {
    report_error(error);
    const bool colour = stderr_is_terminal();
    std::string out = std::string("assay: ") + (colour ? "\033[31merror\033[0m" : "error") + ": " +
                      without_controls(error.message()) + "\n";
    for (const std::string& line : error.notes()) out += "  while " + without_controls(line) + "\n";
    return {status_of(error), out, error.code()};
}

/// Returns the result of `body`, or the status for its exception.
Ended attempt(const std::function<int()>& body) {
    try {
        return {body()};
    } catch (const Error& error) {
        return ended_by(error);
    } catch (const std::bad_alloc&) {
        return ended_by(Error(ErrorCode::out_of_memory, "out of memory"));
    } catch (const std::system_error& error) {  // of the file system, too
        return ended_by(Error(ErrorCode::io, error.what()));
    } catch (const std::exception& error) {
        const std::string what = without_controls(error.what()) + "; please report it";
        report_error(Error(ErrorCode::internal, what));
        return {Status::internal_error, "assay: internal error: " + what + "\n",
                ErrorCode::internal};
    }
}

/// If stdout is closed, a file that is opened next would receive the report. A descriptor that is
/// only open for reading makes writing fail, as it should.
void hold_standard_descriptors() {
    for (const int wanted : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(wanted, F_GETFD) != -1) continue;
        if (::open("/dev/null", O_RDONLY) != wanted) return;
    }
}

/// Only results since the last save of rows are lost.
extern "C" void on_second_signal(int number) {
    std::signal(number, SIG_DFL);
    sigset_t heard;
    ::sigemptyset(&heard);
    ::sigaddset(&heard, number);
    ::pthread_sigmask(SIG_UNBLOCK, &heard, nullptr);
    ::raise(number);
    // This runs if default actions do not end the process, such as a container's first process.
    ::_exit(128 + number);
}

extern "C" void on_signal(int number) {
    request_stop();
    std::signal(number, on_second_signal);
}

void hear_signals() {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        // Under nohup, the signal of a closed terminal must be ignored.
        if (std::signal(number, on_signal) == SIG_IGN && number == SIGHUP)
            std::signal(number, SIG_IGN);
    }
    // Writing beyond the limit on file sizes (ulimit -f) then fails with an error.
    std::signal(SIGXFSZ, SIG_IGN);
}

int run(int count, char** arguments) {
    std::string& line = command_line();
    for (int i = 0; i < count; ++i) line += (i == 0 ? "" : " ") + std::string(arguments[i]);

    std::string first = count > 1 ? arguments[1] : "--help";
    std::vector<std::string> words(arguments + std::min(count, 2), arguments + count);
    if (first == "help" && !words.empty()) {  // `assay help score`, as in other programs
        first = words.front();
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    if (first == "evaluate") first = "eval";
    if (asks_for_help(first)) {
        write_own(help());
        if (count > 1) return Status::done;
        report_error(Error(ErrorCode::usage, "no command is named (see `assay --help`)"));
        return Status::bad_input;
    }
    if (first == "--version" || first == "-V") {
        return cmd_version({});
    }
    if (first == shell_question) return answer_shell({arguments + 2, arguments + count});
    const auto& table = commands();
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const Command& c) { return c.name == first; });
    if (found == table.end()) {
        std::vector<std::string> names;
        names.reserve(table.size());
        for (const Command& command : table) names.emplace_back(command.name);
        if (const std::string instead = what_does(first); !instead.empty())
            throw Error(ErrorCode::usage, "unknown command `" + first + "`: " + instead);
        throw Error(ErrorCode::usage, "unknown command `" + first + "`" + suggest(first, names) +
                                          " (see `assay --help`)");
    }
    return found->run(std::move(words));
}

}  // namespace
}  // namespace assay::cli

int main(int count, char** arguments) {
    using namespace assay;
    cli::hold_standard_descriptors();
    cli::hear_signals();
    name_shortened_files("assay");
    const std::vector<std::string> words(arguments + std::min(count, 1), arguments + count);
    const cli::Ended opened = cli::attempt([&] {
        cli::open_error_report();
        cli::open_ranks(words);
        return 0;
    });
    if (opened.status != 0) return cli::end_ranks(opened);
    return cli::end_ranks(cli::attempt([&] { return cli::run(count, arguments); }));
}
