// Completion in real shells, as people use it. The tests press keys in a terminal, and read the
// completed line back as arguments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "core/file.h"
#include "program.h"
#include "terminal.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Words = std::vector<std::string>;

std::string found_program(const std::string& name) {
    for (const char* folder : {"/usr/bin/", "/bin/", "/usr/local/bin/"}) {
        if (fs::exists(folder + name)) return folder + name;
    }
    return {};
}

constexpr const char* bash_completion = "/usr/share/bash-completion/bash_completion";

/// Stores, models and folders with names that shells must quote.
class ShellWorld {
public:
    ShellWorld() {
        for (const char* store :
             {"runs/val/resnet50", "runs/val/mobile net", "runs/sketch/resnet50",
              "odd names/a'b \"c\" $(touch hit) `touch hit` ;touch hit;/m", "größe/日本/m",
              "colons/a:b=c/m", "spaced/my data/my model"}) {
            fs::create_directories(folder / store / "shards");
            write_file_atomically(folder / store / "manifest.json", "{}");
        }
        for (const char* file : {"models/a model.pt", "models/b.onnx", "models/notes.md",
                                 "models/weights.bin", "labels.csv", "-dash.csv"}) {
            fs::create_directories((folder / file).parent_path());
            write_file_atomically(folder / file, "");
        }
    }
    bool was_hit() const { return fs::exists(folder / "hit"); }

    Scratch folder;
};

/// A shell with Assay's completion, and with a command `show` that prints its arguments.
class Shell {
public:
    Shell(const std::string& kind, const ShellWorld& world, const std::string& how) {
        const std::string program = found_program(kind);
        const std::string script = assay_run({"completion", kind}).out;
        const fs::path home = home_ = world.folder.path();
        fs::create_directories(home / "c/completions");
        fs::create_directories(home / "f/fish/completions");
        write_file_atomically(home / "c/completions/assay", script);
        write_file_atomically(home / "c/_assay", script);
        write_file_atomically(home / "f/fish/completions/assay.fish", script);
        std::vector<std::string> environment = {
            "HOME=" + home.string(), "TERM=xterm", "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
            "WORLD=" + home.string(),
            // The program of this build has precedence.
            "PATH=" + fs::path(ASSAY_PROGRAM).parent_path().string() + ":/usr/bin:/bin"};
        std::vector<std::string> words = {program};
        // Writes to a file, because a terminal also shows colours and cursor movements.
        const std::string show = "show() { printf '%s\\n' \"$@\" > ~/arguments; echo '<''end>'; }";
        std::vector<std::string> first;
        if (kind == "bash") {
            words.insert(words.end(), {"--norc", "--noprofile", "-i"});
            environment.push_back("BASH_COMPLETION_USER_DIR=" + (home / "c").string());
            first = {"bind 'set enable-bracketed-paste off'",
                     "bind 'set bell-style none'",
                     "bind 'set page-completions off'",
                     "PS1='$ '",
                     show,
                     how == "package" ? std::string("source ") + bash_completion
                                      : "source c/completions/assay"};
        } else if (kind == "zsh") {
            words.insert(words.end(), {"-f", "-i"});
            first = {"bindkey -e", "unsetopt prompt_sp beep zle_bracketed_paste", "PS1='$ '",
                     "unset zle_bracketed_paste", show};
            if (how != "source") first.emplace_back("fpath=($HOME/c $fpath)");
            first.emplace_back("autoload -Uz compinit; compinit -u -D");
            if (how == "source") first.emplace_back("source c/_assay");
        } else {
            environment.push_back("XDG_CONFIG_HOME=" + (home / "f").string());
            environment.push_back("XDG_DATA_HOME=" + (home / "f").string());
            first = {"set -U fish_greeting",
                     "function show; printf '%s\\n' $argv > ~/arguments; echo '<''end>'; end"};
        }
        terminal_ = std::make_unique<Terminal>(words, home, environment);
        for (const std::string& line : first) terminal_->type(line + "\r");
        terminal_->type("show ready\r");
        started_ = terminal_->read_until("<end>");
    }

    /// The text shown until then.
    const std::string& started() const { return started_; }
    /// The arguments of the line `keys` after the shell has completed it ("\t" stands for the key).
    Words arguments_after(const std::string& keys) {
        fs::remove(home_ / "arguments");
        terminal_->type(keys + "\x01show \r");
        const std::string shown = terminal_->read_until("<end>");
        if (!fs::exists(home_ / "arguments")) return {"unreadable: " + shown};
        Words words;
        std::istringstream lines(slurp(home_ / "arguments"));
        for (std::string line; std::getline(lines, line);) words.push_back(line);
        words.erase(words.begin());
        return words;
    }
    /// The text that the shell shows after the line `keys` up to `text`. Then the line is
    /// cancelled.
    std::string shown_after(const std::string& keys, const std::string& text) {
        terminal_->type(keys);
        std::string shown = terminal_->read_until(text, 5);
        terminal_->type("\x15show again\r");
        terminal_->read_until("<end>");
        return shown;
    }

private:
    fs::path home_;
    std::unique_ptr<Terminal> terminal_;
    std::string started_;
};

struct Case {
    std::string keys;
    Words arguments;  ///< the words after `assay`
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {"assay sco\t", {"score"}},
        {"assay labels agg\t", {"labels", "aggregate"}},
        {"assay score --met\t", {"score", "--metrics"}},
        {"assay score --metrics nl\t", {"score", "--metrics", "nll"}},
        {"assay score --metrics top1,nl\t", {"score", "--metrics", "top1,nll"}},
        {"assay score --metrics=top1,nl\t", {"score", "--metrics=top1,nll"}},
        {"assay score --metrics top1,ece:bi\t", {"score", "--metrics", "top1,ece:bins="}},
        {"assay score --format=la\t", {"score", "--format=latex"}},
        {"assay predict --preset mobil\t", {"predict", "--preset", "mobilenet"}},
        {"assay predict -m models/b\t", {"predict", "-m", "models/b.onnx"}},
        {"assay predict -m models/a\t", {"predict", "-m", "models/a model.pt"}},
        {"assay predict -m models/no\t", {"predict", "-m", "models/no"}},
        {"assay predict --corrupt fog,sno\t", {"predict", "--corrupt", "fog,snow"}},
        {"assay score runs/v\t", {"score", "runs/val/"}},
        {"assay score runs/val/res\t", {"score", "runs/val/resnet50"}},
        {"assay score runs/val/mob\t", {"score", "runs/val/mobile net"}},
        {"assay score runs/val/mobile\\ \t", {"score", "runs/val/mobile net"}},
        {"assay score 'runs/val/mobile n\t", {"score", "runs/val/mobile net"}},
        {"assay score \"runs/val/mobile n\t", {"score", "runs/val/mobile net"}},
        {"assay score ~/runs/val/res\t", {"score", "HOME/runs/val/resnet50"}},
        {"assay score $WORLD/runs/val/res\t", {"score", "HOME/runs/val/resnet50"}},
        {"assay score od\t", {"score", "odd names/"}},
        {"assay score odd\\ names/a\t\t",
         {"score", "odd names/a'b \"c\" $(touch hit) `touch hit` ;touch hit;/m"}},
        {"assay score gr\t\t\t", {"score", "größe/日本/m"}},
        {"assay score colons/a\tm\t", {"score", "colons/a:b=c/m"}},
        {"assay plot scores spaced --dataset my\t",
         {"plot", "scores", "spaced", "--dataset", "my data"}},
        {"assay plot scores spaced --model my\t",
         {"plot", "scores", "spaced", "--model", "my model"}},
        {"assay nothing\t", {"nothing"}},
        {"assay score --per\t --js\t runs/v\t", {"score", "--per-class", "--json", "runs/val/"}},
    };
    return all;
}

/// zsh removes the slash after a folder if something else is typed.
enum class Slash { stays, goes };

void expect_completed(Shell& shell, const ShellWorld& world, Slash slash = Slash::stays) {
    ASSERT_THAT(shell.started(), HasSubstr("<end>"));
    for (const Case& one : cases()) {
        Words expected = one.arguments;
        for (std::string& word : expected) {
            if (word.starts_with("HOME/")) word = (world.folder / word.substr(5)).string();
            if (slash == Slash::goes && word.ends_with('/')) word.pop_back();
        }
        EXPECT_EQ(shell.arguments_after(one.keys), expected) << one.keys;
    }
    EXPECT_FALSE(world.was_hit());
}

TEST(Shells, BashCompletesByItself) {
    if (found_program("bash").empty()) GTEST_SKIP() << "no bash";
    const ShellWorld world;
    Shell shell("bash", world, "source");
    expect_completed(shell, world);
}

TEST(Shells, BashCompletesWithItsPackage) {
    if (!fs::exists(bash_completion)) GTEST_SKIP() << "no " << bash_completion;
    const ShellWorld world;
    Shell shell("bash", world, "package");
    expect_completed(shell, world);
}

// Programs without a terminal ask bash for its completion in this way.
TEST(Shells, BashAnswersWithoutATerminal) {
    if (found_program("bash").empty()) GTEST_SKIP() << "no bash";
    const Scratch folder;
    write_file_atomically(folder / "script", assay_run({"completion", "bash"}).out);
    const std::string line = "assay score --metrics top1,";
    const Outcome outcome =
        Program({found_program("bash"), "-c",
                 "source '" + (folder / "script").string() +
                     "'; complete -p assay; COMP_LINE=$1 COMP_POINT=${#1}; "
                     "COMP_WORDS=(assay score --metrics top1,); COMP_CWORD=3; "
                     "_assay assay top1, --metrics; printf '%s\n' \"${COMPREPLY[@]}\"",
                 "bash", line},
                {"PATH=" + fs::path(ASSAY_PROGRAM).parent_path().string() + ":/usr/bin:/bin"})
            .wait();
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, testing::StartsWith("complete -F _assay assay\ntop1,top5\n"));
    EXPECT_THAT(outcome.out, HasSubstr("\ntop1,nll\n"));
}

// If several candidates fit, they are shown. Paths are shown by their last parts.
TEST(Shells, BashShowsWhatMayFollow) {
    if (found_program("bash").empty()) GTEST_SKIP() << "no bash";
    const ShellWorld world;
    Shell shell("bash", world, "source");
    EXPECT_THAT(shell.shown_after("assay labels \t\t", "stats"),
                HasSubstr("aggregate  export     propose    stats"));
    EXPECT_THAT(shell.shown_after("assay score runs/val/\t\t", "resnet50"),
                HasSubstr("\nmobile net/ resnet50/"));
    // The first key replaces the variable by its value.
    EXPECT_THAT(shell.shown_after("assay score $WORLD/runs/\t\t\t", "val/"),
                HasSubstr("\nsketch/ val/"));
    EXPECT_THAT(shell.shown_after("assay score > la\t", ".csv"), HasSubstr("labels.csv"));
    // Completion works before and after another command on the line.
    EXPECT_THAT(shell.shown_after("A=1 assay labels ag\t", "gate"), HasSubstr("aggregate"));
    EXPECT_THAT(shell.shown_after("ls | assay labels ag\t", "gate"), HasSubstr("aggregate"));
}

TEST(Shells, ZshAndFishSayWhatEachDoes) {
    const ShellWorld world;
    const std::string what = "Combine annotators' votes into label sets";
    for (const char* kind : {"zsh", "fish"}) {
        if (found_program(kind).empty()) continue;  // the tests below report this error
        Shell shell(kind, world, "folder");
        EXPECT_THAT(shell.shown_after("assay labels \t\t", what), HasSubstr(what)) << kind;
        if (std::string(kind) != "zsh") continue;
        // If nothing can be proposed, the shell shows which value is needed.
        EXPECT_THAT(shell.shown_after("assay score --bins \t", "N: Bins"),
                    HasSubstr("N: Bins of the calibration errors"));
    }
}

TEST(Shells, ZshCompletesByItsFolders) {
    if (found_program("zsh").empty()) GTEST_SKIP() << "no zsh";
    const ShellWorld world;
    Shell shell("zsh", world, "folder");
    expect_completed(shell, world, Slash::goes);
}

TEST(Shells, ZshCompletesByALineOfItsSettings) {
    if (found_program("zsh").empty()) GTEST_SKIP() << "no zsh";
    const ShellWorld world;
    Shell shell("zsh", world, "source");
    expect_completed(shell, world, Slash::goes);
}

TEST(Shells, FishCompletes) {
    if (found_program("fish").empty()) GTEST_SKIP() << "no fish";
    const ShellWorld world;
    Shell shell("fish", world, "folder");
    expect_completed(shell, world);
}

}  // namespace
}  // namespace assay
