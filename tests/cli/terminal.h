// A shell in its own terminal: tests send keys, and read what it shows.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace assay {

class Terminal {
public:
    /// Starts `words` in `folder`, with only the given environment ("NAME=value").
    Terminal(const std::vector<std::string>& words, const std::filesystem::path& folder,
             const std::vector<std::string>& environment) {
        winsize size{};
        size.ws_row = 60;
        size.ws_col = 200;
        pid_ = ::forkpty(&descriptor_, nullptr, nullptr, &size);
        if (pid_ != 0) return;
        std::vector<char*> argv, envp;
        for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        for (const std::string& entry : environment)
            envp.push_back(const_cast<char*>(entry.c_str()));
        argv.push_back(nullptr);
        envp.push_back(nullptr);
        if (::chdir(folder.c_str()) == 0) ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
    ~Terminal() {
        ::kill(pid_, SIGKILL);
        ::close(descriptor_);
        ::waitpid(pid_, nullptr, 0);
    }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    void type(const std::string& keys) {
        for (std::size_t done = 0; done < keys.size();) {
            const ssize_t n = ::write(descriptor_, keys.data() + done, keys.size() - done);
            if (n <= 0) return;
            done += static_cast<std::size_t>(n);
        }
    }
    /// Returns the output from now on up to and including `text`, or all output if `text` does not
    /// appear.
    std::string read_until(const std::string& text, int seconds = 20) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
        std::string shown;
        while (shown.find(text) == std::string::npos && std::chrono::steady_clock::now() < end) {
            pollfd ready{descriptor_, POLLIN, 0};
            if (::poll(&ready, 1, 100) <= 0) continue;
            char buffer[4096];
            const ssize_t n = ::read(descriptor_, buffer, sizeof buffer);
            if (n <= 0) break;
            shown.append(buffer, static_cast<std::size_t>(n));
        }
        return shown;
    }

private:
    int descriptor_ = -1;
    pid_t pid_ = -1;
};

}  // namespace assay
