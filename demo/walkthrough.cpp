#include "demo/walkthrough.h"

#include <fmt/format.h>
#include <wordexp.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/terminal.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/paths.h"

namespace assay::cli {
namespace {

bool plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./=:,+@%").find(c) != std::string_view::npos ||
           (static_cast<unsigned char>(c) & 0x80) != 0;
}

/// The arguments that a shell would pass, without command substitution.
std::vector<std::string> expanded(const std::string& line) {
    wordexp_t found{};
    const int code = wordexp(line.c_str(), &found, WRDE_NOCMD | WRDE_UNDEF);
    std::vector<std::string> arguments;
    if (code == 0) arguments.assign(found.we_wordv, found.we_wordv + found.we_wordc);
    if (code == 0 || code == WRDE_NOSPACE) wordfree(&found);
    if (code != 0)
        throw Error(ErrorCode::internal, fmt::format("the line `{}` is not one for a shell", line));
    return arguments;
}

}  // namespace

std::string shell_argument(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (!plain(c)) out += '\\';
        out += c;
    }
    return out;
}

Walkthrough::Walkthrough(std::filesystem::path script) : script_(std::move(script)) {}

void Walkthrough::chapter(std::string_view title, std::string_view text) {
    throw_if_stopped();
    const bool colour = stdout_is_terminal();
    write_own(fmt::format("\n{}{}. {}{}\n", colour ? "\033[1m" : "", ++chapters_, title,
                          colour ? "\033[0m" : ""));
    if (!text.empty()) write_own(fmt::format("{}\n", text));
}

void Walkthrough::say(std::string_view text) const {
    write_own(fmt::format("{}\n", text));
}

void Walkthrough::run(const std::string& line) {
    throw_if_stopped();
    const bool colour = stdout_is_terminal();
    write_own(
        fmt::format("\n{}$ assay {}{}\n", colour ? "\033[36m" : "", line, colour ? "\033[0m" : ""));
    lines_.push_back(line);
    write_script();
    std::vector<std::string> arguments = expanded(line);
    const std::string name = arguments.at(0);
    arguments.erase(arguments.begin());
    const auto& table = commands();
    const auto command =
        std::find_if(table.begin(), table.end(), [&](const Command& c) { return c.name == name; });
    if (command == table.end()) throw Error(ErrorCode::internal, "no command " + name);
    // The command line that the stores record.
    const std::string outer = std::exchange(command_line(), "assay " + line);
    const int status = with_note("running `assay " + line + "`",
                                 [&] { return command->run(std::move(arguments)); });
    command_line() = outer;
    std::fflush(stdout);
    if (status_ == Status::done) status_ = status;
}

void Walkthrough::write_script() const {
    std::string text = "#!/bin/sh\n# The commands of `assay demo`, to be run where it was run:\n";
    text += "set -e\ncd " + shell_argument(absolute_path(".").string()) + "\n";
    for (const std::string& line : lines_) text += "assay " + line + "\n";
    write_file_atomically(script_, text);
}

}  // namespace assay::cli
