// Runs the built program as a user would.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "scratch.h"

namespace assay {

struct Outcome {
    int status = -1;  ///< exit status; 128 + signal when killed
    std::string out;
    std::string err;
};

inline std::string slurp(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// A child process with its output going to files in a scratch folder, or its stdout to an open
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

/// assay WORDS...
inline Outcome assay_run(std::vector<std::string> words,
                         const std::vector<std::string>& environment = {}, int standard_out = -1) {
    words.insert(words.begin(), ASSAY_PROGRAM);
    return Program(words, environment, standard_out).wait();
}

/// Runs a program again and again, killed after waits that grow by `step` milliseconds, so that the
/// kills fall before, between and after what it writes until one run gets through. How often it was
/// killed.
inline int kills_until_it_gets_through(const std::vector<std::string>& words, int step) {
    int kills = 0;
    for (int wait = 300; wait < 60'000; wait += step) {
        Program program(words);
        std::this_thread::sleep_for(std::chrono::milliseconds(wait));
        ::kill(program.pid(), SIGKILL);
        const Outcome outcome = program.wait();
        if (outcome.status == 0) break;
        EXPECT_EQ(outcome.status, 128 + SIGKILL) << outcome.err;
        if (outcome.status != 128 + SIGKILL) break;
        ++kills;
    }
    return kills;
}

}  // namespace assay
