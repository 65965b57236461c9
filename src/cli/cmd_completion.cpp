// assay completion: the scripts with which shells complete the command line; and assay __complete,
// which those scripts call whenever the user presses the key.
#include "cli/cmd_completion.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/outputs.h"
#include "cli/shell_line.h"

// Made by src/cli/CMakeLists.txt from the files of shells/: their bytes are between two symbols.
#define ASSAY_EMBEDDED(begin, end, name)                                  \
    extern "C" __attribute__((visibility("hidden"))) const char(begin)[]; \
    extern "C" __attribute__((visibility("hidden"))) const char(end)[];
#include "shells_files.inc"
#undef ASSAY_EMBEDDED

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view completion_examples = R"(
assay completion bash > ~/.local/share/bash-completion/completions/assay
source <(assay completion bash)
assay completion zsh > ~/.zsh/completions/_assay
source <(assay completion zsh)
assay completion fish > ~/.config/fish/completions/assay.fish
)";

std::string_view script_for(std::string_view shell) {
#define ASSAY_EMBEDDED(begin, end, name) \
    if (shell == (name)) return {begin, static_cast<std::size_t>((end) - (begin))};
#include "shells_files.inc"
#undef ASSAY_EMBEDDED
    throw Error(ErrorCode::usage, "there is no completion for the shell `" + std::string(shell) +
                                      "`" + suggest(shell, {"bash", "zsh", "fish"}));
}

/// True if the shell's `assay` is this program.
bool is_on_the_path() {
    const char* folders = std::getenv("PATH");
    std::string_view left = folders != nullptr ? folders : "";
    while (!left.empty()) {
        const std::size_t end = std::min(left.find(':'), left.size());
        const fs::path program = fs::path(left.substr(0, end)) / "assay";
        left.remove_prefix(std::min(end + 1, left.size()));
        std::error_code error;
        if (!fs::exists(program, error)) continue;
        return fs::equivalent(program, "/proc/self/exe", error) && !error;
    }
    return false;
}

/// If no shell finds the program by its name, the script calls it by its path. It never calls the
/// typed path: a key press must not start a program in the current folder.
std::string script_that_asks_this_program(std::string_view shell) {
    constexpr std::string_view asked = "command assay";
    std::string script(script_for(shell));
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (is_on_the_path() || error) return script;
    return script.replace(script.find(asked), asked.size(), as_typed(program.string()));
}

constexpr std::string_view marks = "/=,:";

bool ends_open(const Candidate& candidate) {
    return !candidate.text.empty() && marks.find(candidate.text.back()) != std::string_view::npos;
}

/// Replaces a leading variable, which readline would quote, by its value.
std::string without_variable(const std::string& text, const TypedWord& typed) {
    for (std::size_t i = typed.kept; i < typed.text.size(); ++i) {
        if (typed.text[i] == '$' && !typed.is_literal[i])
            return text.substr(0, i) + expanded(text.substr(i)).string();
    }
    return text;
}

/// Returns options of compopt on one line, followed by the contents of COMPREPLY. If several paths
/// are shown, readline does its own quoting and shows only the last parts.
std::string answer_for_bash(std::string_view line, std::string_view breaks) {
    TypedLine typed = read_bash_line(line, breaks);
    if (typed.words.empty()) return {};
    std::vector<std::string> words(typed.words.begin() + 1, typed.words.end());
    words.push_back(typed.last.text);
    const Completion completion =
        typed.redirected ? complete_file(typed.last.text) : complete(words);
    const bool single = completion.candidates.size() == 1;
    const bool by_readline = completion.paths && !single;
    std::string options, replies;
    if (by_readline) options += "filenames ";
    if (single && (completion.goes_on || ends_open(completion.candidates.front())))
        options += "nospace";
    for (const Candidate& candidate : completion.candidates) {
        const std::string& text = candidate.text;
        if (by_readline) {
            std::string reply = without_variable(text, typed.last).substr(typed.last.kept);
            if (reply.ends_with('/')) reply.pop_back();  // readline marks the folders itself
            replies += reply + "\n";
        } else {
            replies += quoted_for_bash(text, typed.last) + "\n";
        }
    }
    return options + "\n" + replies;
}

/// Returns a description of the argument. Then returns for each proposal its ending, its part after
/// the last mark, and a short description, separated by tabs.
std::string answer_for_zsh(const std::vector<std::string>& words) {
    const Completion completion = complete(words);
    const std::size_t mark = words.empty() ? std::string::npos : words.back().find_last_of(marks);
    const std::size_t kept = mark == std::string::npos ? 0 : mark + 1;
    std::string out = completion.hint + "\n";
    for (const Candidate& candidate : completion.candidates) {
        std::string text = candidate.text.substr(std::min(kept, candidate.text.size()));
        std::string_view end = completion.goes_on ? "list" : "whole";
        if (text.ends_with('/')) {
            text.pop_back();
            end = "folder";
        } else if (ends_open(candidate)) {
            end = "open";
        }
        out += std::string(end) + "\t" + text + "\t" + candidate.about + "\n";
    }
    return out;
}

/// Returns one proposal per line, with a tab before its short description.
std::string answer_for_fish(std::string_view typed, std::vector<std::string> words) {
    words.push_back(read_fish_word(typed).text);
    std::string out;
    for (const Candidate& candidate : complete(words).candidates)
        out += candidate.text + "\t" + candidate.about + "\n";
    return out;
}

}  // namespace

int cmd_completion(std::vector<std::string> arguments) {
    auto app =
        make_app("completion",
                 "Print a shell's completion script for commands, options, metrics, stores and "
                 "files (TAB). An installed assay already has it: in bash with the package "
                 "bash-completion, in zsh after `compinit`, in fish always. Otherwise one of the "
                 "lines below enables it. Add those with `source` to ~/.bashrc or ~/.zshrc; the "
                 "others write a file into a folder that the shell reads.",
                 completion_examples);
    std::string shell;
    app->add_option("shell", shell, "Shell to generate the script for")
        ->required()
        ->type_name("SHELL")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    if (!parse(*app, std::move(arguments))) return Status::done;
    write_result("-", script_that_asks_this_program(shell));
    return Status::done;
}

int answer_shell(const std::vector<std::string>& arguments) {
    if (arguments.size() < 2) return Status::bad_input;
    const std::string& shell = arguments.front();
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (shell == "bash" && rest.size() == 2) write_own(answer_for_bash(rest[0], rest[1]));
    if (shell == "zsh") write_own(answer_for_zsh(rest));
    if (shell == "fish") write_own(answer_for_fish(rest[0], {rest.begin() + 1, rest.end()}));
    return Status::done;
}

}  // namespace assay::cli
