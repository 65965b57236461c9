// Hints work as printed: an option that a message or a help text names exists in the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "program.h"
#include "sweep_rows.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Options = std::set<std::string>;

/// Compiled once, because there are thousands of texts.
const std::regex& compiled(const std::string& pattern) {
    static std::map<std::string, std::regex> all;
    const auto known = all.find(pattern);
    return known != all.end() ? known->second : all.emplace(pattern, pattern).first->second;
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
    const std::regex& wanted = compiled(pattern);
    std::vector<std::string> out;
    for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at)
        out.push_back((*at)[1]);
    return out;
}

/// Every `--option` that a text mentions. Names such as `--n{}` are completed when the text is
/// printed.
std::vector<std::string> named_in(const std::string& text) {
    return matches(text, "(?:^|[^-\\w])(--[a-z][a-z0-9-]*)(?![\\w{-])");
}

/// The options of every command, as its help lists them: "score" -> --labels, -j, ...
const std::map<std::string, Options>& known_options() {
    static const auto all = [] {
        std::map<std::string, Options> out;
        for (const std::string& command : commands_of_the_program()) {
            std::istringstream parts(command);
            std::vector<std::string> words{std::istream_iterator<std::string>(parts), {}};
            words.push_back("--help-all");
            std::istringstream help(assay_run(words).out);
            Options& options = out[command];
            for (std::string line; std::getline(help, line);) {
                if (!line.starts_with("  -")) continue;
                std::istringstream names(line.substr(2, line.find_first_of(" :=", 2) - 2));
                for (std::string name; std::getline(names, name, ',');) options.insert(name);
            }
        }
        return out;
    }();
    return all;
}

/// The command that a line types, or "": `assay labels stats real.json` -> "labels stats".
std::string command_in(const std::string& line) {
    std::string longest;
    for (const auto& [command, options] : known_options()) {
        if (line.starts_with("assay " + command) && command.size() > longest.size())
            longest = command;
    }
    return longest;
}

/// The options that a line like `assay score runs --labels real.json` types.
void expect_typed_options_exist(const std::string& line) {
    const std::string command = command_in(line);
    // Accepts a command that has parts without a part, such as `assay labels --help`.
    const bool whole = std::ranges::any_of(known_options(), [&](const auto& known) {
        const std::string parts = "assay " + known.first.substr(0, known.first.find(' '));
        return parts.size() < known.first.size() + 6 &&
               (line == parts || line == parts + " --help");
    });
    if (command.empty() && whole) return;
    ASSERT_NE(command, "") << line;
    for (const std::string& option : matches(line, "(?:^|\\s)(--?[a-z][a-z0-9-]*)"))
        EXPECT_TRUE(known_options().at(command).contains(option)) << option << " in: " << line;
}

/// The string literals of a source file. Adjacent literals are joined, as a compiler does.
std::vector<std::string> literals_of(const std::string& source) {
    std::vector<std::string> out;
    bool open = false;  // only white space since the last literal
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source.compare(i, 2, "//") == 0) {
            i = std::min(source.find('\n', i), source.size());
        } else if (source.compare(i, 3, "R\"(") == 0) {
            const std::size_t end = source.find(")\"", i);
            out.push_back(source.substr(i + 3, end - i - 3));
            i = end + 1;
            open = false;
        } else if (source[i] == '\'') {  // a character, which may be a quote
            const std::size_t end = source.find('\'', i + (source[i + 1] == '\\' ? 3 : 2));
            if (end != std::string::npos && end - i <= 3) i = end;
            open = false;
        } else if (source[i] == '"') {
            std::string text;
            for (++i; i < source.size() && source[i] != '"'; ++i) {
                if (source[i] == '\\') {
                    ++i;
                    text += source[i] == 'n' ? '\n' : source[i];
                } else {
                    text += source[i];
                }
            }
            if (open) {
                out.back() += text;
            } else {
                out.push_back(text);
            }
            open = true;
        } else if (source[i] > ' ') {
            open = false;
        }
    }
    return out;
}

struct SourcePart {
    std::string_view path;              ///< prefix of the sources' paths below src/
    std::vector<std::string> commands;  ///< commands that print the texts and have the options
};

/// The first prefix that fits a source counts. A source without one may name the options of any
/// command.
const std::vector<SourcePart>& parts_of_the_sources() {
    static const std::vector<SourcePart> parts = {
        {"annotation/votes", {"labels aggregate"}},
        {"annotation/label_stats", {"labels stats"}},
        {"annotation/propose", {"labels propose"}},
        {"cli/cmd_attack", {"attack"}},
        {"cli/cmd_check", {"check"}},
        {"cli/cmd_compare", {"compare"}},
        {"cli/cmd_corrupt", {"corrupt"}},
        {"cli/cmd_cost", {"cost"}},
        {"cli/cmd_export", {"export"}},
        {"cli/cmd_gap", {"gap"}},
        {"cli/cmd_import", {"import"}},
        {"cli/cmd_labels_aggregate", {"labels aggregate"}},
        {"cli/cmd_labels_propose", {"labels propose"}},
        {"cli/cmd_labels_stats", {"labels stats"}},
        {"cli/cmd_list", {"list"}},
        {"cli/cmd_patchml", {"patchml"}},
        {"cli/cmd_predict", {"predict"}},
        {"cli/cmd_replicate_adjust", {"replicate adjust"}},
        {"cli/cmd_replicate_frequencies", {"replicate frequencies"}},
        {"cli/cmd_replicate_match", {"replicate match"}},
        {"cli/cmd_replicate_plan", {"replicate plan"}},
        {"cli/cmd_replicate_simulate", {"replicate simulate"}},
        {"cli/cmd_robustness", {"robustness"}},
        {"cli/cmd_run", {"run"}},
        {"cli/cmd_score", {"score"}},
        {"cli/cmd_serve", {"serve"}},
        {"cli/cmd_show", {"show"}},
        {"cli/cmd_verify", {"verify"}},
        {"cli/inputs", {"predict"}},
        {"cli/scoring", {"score", "compare"}},
        {"data/label_json", {"labels stats", "labels aggregate"}},
        {"evaluate/attack", {"attack"}},
        {"evaluate/check/", {"check", "predict"}},
        {"evaluate/compare", {"compare"}},
        {"evaluate/cost", {"cost"}},
        {"evaluate/gap/", {"gap"}},
        {"evaluate/predict", {"predict"}},
        {"evaluate/score", {"score"}},
        {"model/", {"predict", "check"}},
        {"patchml/", {"patchml"}},
        {"robustness/corrupted", {"robustness"}},
        {"robustness/corrupt", {"corrupt"}},
        {"serve/", {"serve"}},
        {"store/array_source", {"import"}},
        {"store/cells", {"import"}},
        {"store/csv_", {"import"}},
        {"store/dataset_files", {"import", "predict"}},
        {"store/image_check", {"predict"}},
        {"store/import", {"import"}},
        {"store/json_table", {"import"}},
        {"store/jsonl_source", {"import"}},
        {"store/own_labels", {"import"}},
        {"store/score_columns", {"import"}},
        {"store/row_access", {"predict"}},
        {"store/table_builder", {"import"}},
        {"store/writer", {"import", "predict"}},
    };
    return parts;
}

/// Options of other programs are named with these: `(timm: --output-type prob)`.
std::string without_other_programs(const std::string& text) {
    return std::regex_replace(text, compiled("\\(timm: [^)]*\\)|`(srun|cp) [^`]*`"), "");
}

/// The command in an example or a message, such as "assay score runs --labels real.json". It is in
/// backquotes or begins the line.
std::vector<std::string> commands_typed_in(const std::string& text) {
    std::vector<std::string> out = matches(text, "`(assay [a-z][^`]*)`");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = line.find_first_not_of(' ');
        if (begin != std::string::npos && line.compare(begin, 6, "assay ") == 0 &&
            !command_in(line.substr(begin)).empty())
            out.push_back(line.substr(begin));
    }
    return out;
}

// Removes commands from a text, because the options of `assay X` belong to X and not to the command
// that prints the text.
std::string without_typed_commands(const std::string& text) {
    std::string out = std::regex_replace(text, compiled("`assay\\s[^`]*`"), "");
    out = std::regex_replace(out, compiled("\\(assay [^)]*\\)"), "");
    return std::regex_replace(out, compiled("(^|\n) *assay [^\n]*"), "");
}

TEST(Hints, EveryOptionThatAHelpNamesIsOneOfTheCommands) {
    EXPECT_GT(known_options().at("score").size(), 20U);
    for (const auto& [command, options] : known_options()) {
        std::istringstream parts(command);
        std::vector<std::string> words{std::istream_iterator<std::string>(parts), {}};
        words.push_back("--help-all");
        const std::string help = assay_run(words).out;
        for (const std::string& option : named_in(without_typed_commands(help)))
            EXPECT_TRUE(options.contains(option)) << option << " in the help of " << command;
        for (const std::string& line : commands_typed_in(help)) expect_typed_options_exist(line);
    }
}

TEST(Hints, EveryOptionThatAMessageNamesIsKnownToTheCommandThatPrintsIt) {
    const fs::path root = ASSAY_SOURCE_DIR "/src";
    Options any;
    for (const auto& [command, options] : known_options())
        any.insert(options.begin(), options.end());
    any.insert("--version");
    std::size_t seen = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        const std::string path = fs::relative(entry.path(), root).string();
        // Options of other programs are checked in their own test.
        if (entry.path().extension() != ".cpp" || path == "cli/habits.cpp") continue;
        // These name options of a compiler, and of the process that runs plug-ins in Python.
        if (path.starts_with("model/libtorch/build") || path == "model/python/plugin_process.cpp")
            continue;
        const auto part = std::ranges::find_if(
            parts_of_the_sources(), [&](const SourcePart& p) { return path.starts_with(p.path); });
        const bool told = part != parts_of_the_sources().end();
        for (const std::string& literal : literals_of(slurp(entry.path()))) {
            if (literal == "--names") continue;  // questions to a Python about its libraries
            if (literal.find('-') == std::string::npos &&
                literal.find("assay") == std::string::npos)
                continue;  // the empty prefix matches most sources
            const std::string text = without_other_programs(literal);
            // The demo runs lines such as `score {0}/runs --metrics top1`.
            if (path == "cli/cmd_demo.cpp" && !command_in("assay " + text).empty() &&
                text.find(' ') != std::string::npos) {
                expect_typed_options_exist("assay " + text);
                continue;
            }
            for (const std::string& line : commands_typed_in(text))
                expect_typed_options_exist(line);
            for (const std::string& option : named_in(without_typed_commands(text))) {
                ++seen;
                EXPECT_TRUE(any.contains(option)) << option << " in src/" << path << ": " << text;
                if (!told) continue;
                for (const std::string& command : part->commands) {
                    EXPECT_TRUE(known_options().at(command).contains(option))
                        << option << " is not one of `assay " << command << "`, in src/" << path
                        << ": " << text;
                }
            }
        }
    }
    EXPECT_GT(seen, 200U);  // the sources were found and read
}

TEST(Hints, TheManualsTypeOptionsThatExist) {
    std::size_t lines = 0;
    std::vector<fs::path> manuals = {ASSAY_SOURCE_DIR "/README.md"};
    for (const auto& entry : fs::directory_iterator(ASSAY_SOURCE_DIR "/docs"))
        manuals.push_back(entry.path());
    for (const fs::path& manual : manuals) {
        std::istringstream text(slurp(manual));
        for (std::string line; std::getline(text, line);) {
            while (line.ends_with("\\")) {  // the line continues in the next one
                std::string more;
                std::getline(text, more);
                line.replace(line.size() - 1, 1, more);
            }
            line = line.substr(0, line.find(" #"));
            if (line.starts_with("$ ")) line = line.substr(2);
            for (const std::string& typed : commands_typed_in(line)) {
                ++lines;
                expect_typed_options_exist(typed);
            }
        }
    }
    EXPECT_GT(lines, 40U);
}

// `predict` and `check` know the options of PyTorch's and timm's scripts, and propose Assay's
// option instead. The command that proposes an option must accept it.
TEST(Hints, WhatStandsForAnotherProgramsOptionIsTaken) {
    std::size_t proposed = 0;
    for (const std::string& option : named_in(slurp(ASSAY_SOURCE_DIR "/src/cli/habits.cpp"))) {
        for (const char* command : {"predict", "check"}) {
            const Options& options = known_options().at(command);
            if (options.contains(option)) continue;
            const std::string said = assay_run({command, option}).err;
            for (const std::string& here : matches(said, "here it is `(--[a-z-]+)")) {
                ++proposed;
                EXPECT_TRUE(options.contains(here)) << command << ": " << said;
            }
            for (const std::string& typed : commands_typed_in(said)) {
                expect_typed_options_exist(typed);
            }
        }
    }
    EXPECT_GT(proposed, 20U);
}

}  // namespace
}  // namespace assay
