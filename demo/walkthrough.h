// Runs commands of this program one after another, and shows them as the user would type them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// Quotes an argument for the shell. '*' remains a pattern.
std::string shell_argument(std::string_view text);

/// Each line runs through the command's own function, after the shell's own expansion of quotes and
/// patterns (wordexp). So a user can paste what is printed. The lines are also kept as a script.
class Walkthrough {
public:
    /// `script` is the file with the commands. It is written again after each command.
    explicit Walkthrough(std::filesystem::path script);

    /// Shows a heading such as "2. Train", and a sentence below it.
    void chapter(std::string_view title, std::string_view text);
    /// Shows a line of text.
    void say(std::string_view text) const;
    /// Runs a line such as "predict --model a.pt ...". Throws the command's errors.
    void run(const std::string& line);
    /// The first status of a command that was not `done` (partial: some images have no score), else
    /// `done`.
    int status() const noexcept { return status_; }

private:
    void write_script() const;

    std::filesystem::path script_;
    std::vector<std::string> lines_;
    int chapters_ = 0;
    int status_ = 0;
};

}  // namespace assay::cli
