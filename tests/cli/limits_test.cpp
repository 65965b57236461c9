// The program under low system limits, and with foreign texts that are shown in a terminal.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/file.h"
#include "core/terminal_text.h"
#include "program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// `script` for a shell in which $A is the program.
Outcome in_shell(const std::string& script, std::vector<std::string> arguments = {}) {
    std::vector<std::string> words = {"/bin/sh", "-c", "A=" ASSAY_PROGRAM "; " + script, "sh"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return Program(words).wait();
}

/// RUNS with a model `m` on the data set `val`, in shards of two rows.
fs::path made_runs(const Scratch& scratch, int items = 40) {
    std::string text = "image,cat,dog\n";
    for (int i = 0; i < items; ++i)
        text += "p" + std::to_string(i) + "," + std::to_string(i) + ".5,-" + std::to_string(i) +
                ".25\n";
    write_file_atomically(scratch / "scores.csv", text);
    EXPECT_EQ(assay_run({"import", scratch / "scores.csv", "--dataset-name", "val", "--name", "m",
                         "--out", scratch / "runs", "--shard-rows", "2"})
                  .status,
              0);
    return scratch / "runs";
}

TEST(Limits, AFileBeyondTheLimitIsANamedError) {
    const Scratch scratch;
    const Outcome outcome =
        in_shell("ulimit -f 1; exec $A list metrics --csv -o \"$1\"", {scratch / "metrics.csv"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("metrics.csv"), HasSubstr("File too large")));
    EXPECT_TRUE(fs::is_empty(scratch.path()));
}

TEST(Limits, FewDescriptorsGiveTheSameResultOrANamedError) {
    const Scratch scratch;
    const fs::path runs = made_runs(scratch);
    const std::string score = "exec $A verify \"$1\" --json";
    const std::string whole = in_shell(score, {runs}).out;
    bool done = false;
    for (const int most : {3, 4, 5, 6, 8, 12, 20}) {
        const Outcome outcome =
            in_shell("ulimit -n " + std::to_string(most) + "; " + score, {runs});
        if (outcome.status == 0) {
            EXPECT_EQ(outcome.out, whole);
            done = true;
        } else if (outcome.status != 127) {  // the dynamic linker needs memory, too
            EXPECT_TRUE(outcome.status == 2 || outcome.status == 3) << outcome.status;
            EXPECT_THAT(outcome.err + outcome.out,
                        AllOf(HasSubstr("Too many open files"), Not(HasSubstr("internal error"))));
        }
    }
    EXPECT_TRUE(done);
}

TEST(Limits, WithoutThreadsTheResultIsTheSame) {
    const Scratch scratch;
    const fs::path runs = made_runs(scratch);
    fs::permissions(scratch.path(), fs::perms::all);
    const std::vector<std::string> arguments = {"score", runs, "--json", "--threads", "8"};
    const Outcome free = assay_run(arguments);
    EXPECT_EQ(free.status, 0) << free.err;
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit limit{1, 1};
        if (::geteuid() == 0 && (::setgid(4321) != 0 || ::setuid(4321) != 0)) ::_exit(99);
        const int out = ::open((scratch / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(out, STDOUT_FILENO);
        ::setrlimit(RLIMIT_NPROC, &limit);
        // the leak check would start a thread at exit
        ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
        ::execl(ASSAY_PROGRAM, ASSAY_PROGRAM, "score", runs.c_str(), "--json", "--threads", "8",
                nullptr);
        ::_exit(98);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 98)
        GTEST_SKIP() << "the program is where only its owner may run it";
    EXPECT_EQ(status, 0);
    EXPECT_EQ(slurp(scratch / "out"), free.out);
}

TEST(Limits, TheCurrentFolderMayBeGone) {
    const Scratch scratch;
    const fs::path runs = made_runs(scratch);
    const Outcome outcome = in_shell(
        "mkdir \"$1/gone\"; cd \"$1/gone\"; rmdir \"$1/gone\"; "
        "exec $A score runs",
        {scratch.path()});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_THAT(outcome.err, Not(HasSubstr("internal error")));
    EXPECT_EQ(in_shell("mkdir \"$1/gone\"; cd \"$1/gone\"; rmdir \"$1/gone\"; exec $A score \"$2\"",
                       {scratch.path(), runs})
                  .status,
              0);
}

TEST(Limits, NamesThatTheSystemRefusesAreNamed) {
    const Scratch scratch;
    const fs::path runs = made_runs(scratch);
    fs::create_symlink("circle", scratch / "circle");
    const std::string longest(5000, 'n');
    for (const std::string& name : {(scratch / "circle/x").string(), longest}) {
        for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
                 {"score", name},
                 {"score", runs, "-o", name},
                 {"import", name, "--dataset-name", "d", "--name", "m", "--out", scratch / "o"},
                 {"import", scratch / "scores.csv", "--dataset-name", "d", "--name", "m", "--out",
                  name},
                 {"labels", "aggregate", name},
                 {"patchml", "--whole", name, "--out", scratch / "p"},
                 {"patchml", "--whole", scratch.path(), "--out", name},
                 {"run", name},
                 {"show", "p1", name},
                 {"export", name},
                 {"verify", name}}) {
            const Outcome outcome = assay_run(words);
            EXPECT_EQ(outcome.status, 2) << words[0] << ": " << outcome.err;
            EXPECT_THAT(outcome.err, Not(HasSubstr("internal error"))) << words[0];
        }
    }
}

TEST(Limits, AClosedStdoutIsNoFile) {
    const Scratch scratch;
    const Outcome outcome = in_shell("exec $A list metrics >&-");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("cannot write to stdout: "));
    // stdout is closed. The first opened file must not get descriptor 1, because results would be
    // written into it.
    const fs::path runs = made_runs(scratch);
    EXPECT_EQ(in_shell("exec $A score \"$1\" >&-", {runs}).status, 2);
    EXPECT_EQ(
        in_shell("exec $A list metrics --csv -o \"$1\" <&- >&- 2>&-", {scratch / "m.csv"}).status,
        0);
    EXPECT_EQ(slurp(scratch / "m.csv"), assay_run({"list", "metrics", "--csv"}).out);
}

TEST(Limits, AFullDeviceIsNoSuccess) {
    for (const char* words : {"", "--help", "--version", "help", "score --help", "labels",
                              "labels --help", "labels aggregate --help", "replicate --help",
                              "list metrics", "list metrics --csv -o -"}) {
        const Outcome outcome = in_shell(std::string("exec $A ") + words + " >/dev/full");
        EXPECT_EQ(outcome.status, 2) << words;
        EXPECT_THAT(outcome.err, HasSubstr("cannot write to stdout: No space left on device"))
            << words;
    }
}

/// Runs the program while it waits for the reader of a pipe, and sends it signal `number`. If
/// `prefix` makes it ignore `number`, SIGTERM is sent, too.
Outcome signalled(int number, const std::string& prefix = "") {
    const Scratch scratch;
    const fs::path pipe = scratch / "pipe";
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    Program program(
        {"/bin/sh", "-c", prefix + "exec " ASSAY_PROGRAM " list metrics -o \"$1\"", "sh", pipe});
    const pid_t pid = program.pid();
    EXPECT_TRUE(program.runs_until([&] { return handles_and_waits(pid); }));
    if (!prefix.empty()) {
        EXPECT_TRUE(in_signal_set(pid, "SigIgn", number));
        EXPECT_FALSE(in_signal_set(pid, "SigCgt", number));
    }
    ::kill(pid, number);
    if (!prefix.empty()) ::kill(pid, SIGTERM);
    return program.wait();
}

TEST(Signals, AHangupStopsAsAnInterruptDoes) {
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        const Outcome outcome = signalled(number);
        EXPECT_EQ(outcome.status, 130) << number;
        EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
    }
    // Under nohup, SIGHUP stays ignored, and SIGTERM stops the run.
    EXPECT_EQ(signalled(SIGHUP, "trap '' HUP; ").status, 130);
}

TEST(Messages, HoldNoControlsAndEndAtNoZero) {
    const Scratch scratch;
    write_file_atomically(scratch / "assay.toml",
                          "\"a\\u0000b\\u001b[2J\" = 1\n[[model]]\npath = "
                          "\"m.pt\"\n[[data]]\npath = \"d\"\n");
    const Outcome outcome = assay_run({"run", scratch / "assay.toml"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("a\\x00b\\x1b[2J"));
    const Outcome missing = assay_run({"score", "no\x1b]0;title\x07where"});
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr("no\\x1b]0;title\\x07where"));
}

/// The output of the program on a terminal.
std::string on_terminal(const std::vector<std::string>& words) {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0) return {};
    const int program_side = ::open(::ptsname(terminal), O_RDWR | O_NOCTTY);
    std::string text;
    std::thread reader([&] {
        char piece[4096];
        for (ssize_t got = 0; (got = ::read(terminal, piece, sizeof piece)) > 0;)
            text.append(piece, static_cast<std::size_t>(got));
    });
    std::vector<std::string> all = {ASSAY_PROGRAM};
    all.insert(all.end(), words.begin(), words.end());
    Program program(all, {"TERM=xterm"}, program_side);
    ::close(program_side);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    reader.join();
    ::close(terminal);
    return text;
}

/// Without the colours that the program itself writes.
std::string without_colours(std::string text) {
    for (std::size_t at = 0; (at = text.find("\033[", at)) != std::string::npos;) {
        const std::size_t end = text.find_first_not_of("0123456789;", at + 2);
        if (end == std::string::npos || text[end] != 'm') return text;
        text.erase(at, end + 1 - at);
    }
    return text;
}

TEST(Terminal, ShowsTheControlsOfIdsAndNamesInEveryForm) {
    const Scratch scratch;
    write_file_atomically(scratch / "votes.csv",
                          "annotator,item,label,answer\nr1,a\x1b[2Jb.jpg,c\x1b[2K\x07t,yes\n"
                          "r2,a\x1b[2Jb.jpg,c\x1b[2K\x07t,no\nr1,b.jpg,dog,yes\n");
    const std::vector<std::string> command = {"labels", "aggregate", scratch / "votes.csv"};
    bool shown = false;
    for (const std::vector<std::string>& form :
         std::vector<std::vector<std::string>>{{},
                                               {"--csv"},
                                               {"--json"},
                                               {"--format", "md"},
                                               {"--to", "csv", "--label-sets", "-"},
                                               {"--to", "object", "--label-sets", "-"}}) {
        std::vector<std::string> words = command;
        words.insert(words.end(), form.begin(), form.end());
        const std::string text = on_terminal(words);
        ASSERT_NE(text, "") << form.size();
        EXPECT_THAT(without_colours(text), Not(HasSubstr("\033")));
        EXPECT_THAT(text, Not(HasSubstr("\x07")));
        shown = shown || text.find("\\x1b[2J") != std::string::npos;
    }
    EXPECT_TRUE(shown);
    // Files and pipes get the bytes unchanged.
    EXPECT_THAT(assay_run({"labels", "aggregate", scratch / "votes.csv", "--to", "csv",
                           "--label-sets", "-"})
                    .out,
                HasSubstr("a\x1b[2Jb.jpg"));
}

}  // namespace
}  // namespace assay
