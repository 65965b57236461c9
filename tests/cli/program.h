// Runs the built program as a user does.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "process_state.h"
#include "scratch.h"
#include "until.h"

namespace assay {

struct Outcome {
    int status = -1;  ///< exit status, or 128 + signal if killed
    std::string out;
    std::string err;
};

inline std::string slurp(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// A child process. Its output is written to files in a scratch folder, or its stdout to an open
/// descriptor.
class Program {
public:
    explicit Program(const std::vector<std::string>& words,
                     const std::vector<std::string>& environment = {}, int standard_out = -1) {
        pid_ = ::fork();
        if (pid_ != 0) return;
        if (standard_out >= 0) {
            ::dup2(standard_out, STDOUT_FILENO);
        } else {
            redirect(scratch_ / "out", STDOUT_FILENO);
        }
        redirect(scratch_ / "err", STDERR_FILENO);
        for (const std::string& entry : environment) ::putenv(const_cast<char*>(entry.c_str()));
        std::vector<char*> argv;
        for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ~Program() {
        if (pid_ > 0) wait();
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    pid_t pid() const { return pid_; }
    /// What the program has written to stderr so far.
    std::string err() const { return slurp(scratch_ / "err"); }
    /// Waits until `happened()` is true or the program has ended. Returns whether it still runs.
    template <class Happened>
    bool runs_until(Happened&& happened) const {
        EXPECT_TRUE(assay::until([&] { return has_ended(pid_) || happened(); }));
        return !has_ended(pid_);
    }
    Outcome wait() {
        int status = 0;
        ::waitpid(pid_, &status, 0);
        pid_ = -1;
        Outcome outcome;
        outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        outcome.out = slurp(scratch_ / "out");
        outcome.err = slurp(scratch_ / "err");
        return outcome;
    }

private:
    static void redirect(const std::filesystem::path& path, int descriptor) {
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(file, descriptor);
        ::close(file);
    }
    Scratch scratch_;
    pid_t pid_ = -1;
};

/// Runs assay WORDS...
inline Outcome assay_run(std::vector<std::string> words,
                         const std::vector<std::string>& environment = {}, int standard_out = -1) {
    words.insert(words.begin(), ASSAY_PROGRAM);
    return Program(words, environment, standard_out).wait();
}

/// The number of files and folders below `folder`, which other processes may change meanwhile.
inline std::size_t entries_below(const std::filesystem::path& folder) {
    std::size_t count = 0;
    std::error_code gone;
    for (std::filesystem::recursive_directory_iterator entry(folder, gone), end;
         !gone && entry != end; entry.increment(gone))
        ++count;
    return count;
}

/// Runs a program repeatedly, until one run finishes. Each run is killed when `folder` has `step`
/// more files and folders, so it dies before, between and after its writes. Returns the number of
/// kills.
inline int kills_until_it_gets_through(const std::vector<std::string>& words,
                                       const std::filesystem::path& folder, std::size_t step) {
    std::size_t wanted = 0;
    for (int kills = 0;; ++kills) {
        wanted = std::max(wanted, entries_below(folder)) + step;
        Program program(words);
        if (program.runs_until([&] { return entries_below(folder) >= wanted; }))
            ::kill(program.pid(), SIGKILL);
        const Outcome outcome = program.wait();
        if (outcome.status == 0) return kills;
        EXPECT_EQ(outcome.status, 128 + SIGKILL) << outcome.err;
        if (outcome.status != 128 + SIGKILL) return kills;
    }
}

}  // namespace assay
